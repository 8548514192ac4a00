import assert from 'node:assert/strict';
import { it } from 'node:test';
import { z } from 'zod';
import { queryInt } from '../../protocol/index.ts';
import { invalidRequest } from './validation.ts';

function entriesOf(schema: z.ZodType, value: unknown, part = 'body') {
  const { error } = schema.safeParse(value, { reportInput: true });
  return invalidRequest(part, error?.issues ?? []).entries;
}

it('a value that is none of the known ones', () => {
  const expected = "'python', 'sql' or 'r'";
  assert.deepEqual(entriesOf(z.object({ language: z.enum(['python', 'sql', 'r']) }), { language: 'cobol' }), [
    { type: 'enum', loc: ['body', 'language'], msg: `Input should be ${expected}`, ctx: { expected } },
  ]);
  assert.deepEqual(entriesOf(z.enum(['on', 'off']), 'x')[0]?.ctx, { expected: "'on' or 'off'" });
  assert.deepEqual(entriesOf(z.literal(2), 'x')[0]?.ctx, { expected: '2' });
  const { error } = z.enum(['on', 'off']).safeParse('x');
  assert.equal(invalidRequest('query', error?.issues ?? [], 'literal_error').entries[0]?.type, 'literal_error');
});

it('texts and lists of a wrong length', () => {
  const schema = z.object({
    name: z.string().max(3),
    paths: z.array(z.string()).max(1),
    ids: z.array(z.string()).min(2),
  });
  assert.deepEqual(entriesOf(schema, { name: 'long', paths: ['a', 'b'], ids: [] }), [
    {
      type: 'string_too_long',
      loc: ['body', 'name'],
      msg: 'String should have at most 3 characters',
      ctx: { max_length: 3 },
    },
    {
      type: 'too_long',
      loc: ['body', 'paths'],
      msg: 'List should have at most 1 item after validation, not 2',
      ctx: { field_type: 'List', max_length: 1, actual_length: 2 },
    },
    {
      type: 'too_short',
      loc: ['body', 'ids'],
      msg: 'List should have at least 2 items after validation, not 0',
      ctx: { field_type: 'List', min_length: 2, actual_length: 0 },
    },
  ]);
});

it('a number out of range is told once, with the limit that is its own', () => {
  const schema = z.object({ index: queryInt(), limit: queryInt({ min: 1, max: 10 }) });
  assert.deepEqual(entriesOf(schema, { index: '-99999999999999999999', limit: '99999999999999999999' }, 'params'), [
    {
      type: 'greater_than_equal',
      loc: ['path', 'index'],
      msg: 'Input should be greater than or equal to -9007199254740991',
      ctx: { ge: -9007199254740991 },
    },
    {
      type: 'less_than_equal',
      loc: ['path', 'limit'],
      msg: 'Input should be less than or equal to 10',
      ctx: { le: 10 },
    },
  ]);
});

it('a field with two things wrong is told once', () => {
  const schema = z.object({
    name: z
      .string()
      .min(2)
      .regex(/^[a-z]+$/),
    other: z.string().refine(() => false, 'No good'),
  });
  assert.deepEqual(entriesOf(schema, { name: '1', other: '' }), [
    {
      type: 'string_too_short',
      loc: ['body', 'name'],
      msg: 'String should have at least 2 characters',
      ctx: { min_length: 2 },
    },
    { type: 'value_error', loc: ['body', 'other'], msg: 'Value error, No good', ctx: { error: {} } },
  ]);
});
