import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { z } from 'zod';
import { plotlyAsVega } from './plotlyAsVega.ts';
import { traceTables } from './plotlyTraces.ts';

const packed = { dtype: 'f8', bdata: Buffer.from(Float64Array.of(2, 3.5).buffer).toString('base64') };

const chart = z.object({
  layer: z.array(
    z.object({
      mark: z.object({ type: z.string() }),
      data: z.object({ values: z.array(z.record(z.string(), z.unknown())) }),
    }),
  ),
});
const layers = (figure: object) =>
  chart.parse(plotlyAsVega(figure)).layer.map(({ mark, data }) => [mark.type, data.values]);

describe('a figure of Plotly as a picture', () => {
  it('has its bars, lines and points where the figure has them', () => {
    const figure = {
      data: [
        { type: 'bar', name: 'sold', x: ['north', 'south'], y: packed },
        { mode: 'lines+markers', name: 'goal', x: ['north', 'south'], y: [3, null], line: { dash: 'dot' } },
      ],
      layout: { title: { text: 'Sales' } },
    };
    const goal = [
      { x: 'north', y: 3, series: 'goal', at: 0 },
      { x: 'south', y: null, series: 'goal', at: 1 },
    ];
    assert.deepEqual(layers(figure), [
      [
        'bar',
        [
          { x: 'north', y: 2, series: 'sold', at: 0 },
          { x: 'south', y: 3.5, series: 'sold', at: 1 },
        ],
      ],
      ['line', goal],
      ['point', goal],
    ]);
  });

  it('stands on days as they are written, whatever the zone of the server', () => {
    assert.deepEqual(layers({ data: [{ mode: 'lines', x: ['2024-03-01', '2024-03-02 12:30'], y: [1, 2] }] }), [
      [
        'line',
        [
          { x: Date.UTC(2024, 2, 1), y: 1, series: 'trace 0', at: 0 },
          { x: Date.UTC(2024, 2, 2, 12, 30), y: 2, series: 'trace 0', at: 1 },
        ],
      ],
    ]);
  });

  it('is none where the figure says more than would be drawn', () => {
    const line = { mode: 'lines', x: [1, 2], y: [1, 2] };
    const figures = {
      space: { data: [{ type: 'scatter3d', x: [1], y: [1], z: [1] }] },
      bubbles: { data: [{ ...line, mode: 'markers', marker: { size: [1, 9] } }] },
      filled: { data: [{ ...line, fill: 'tozeroy' }] },
      errors: { data: [{ ...line, error_y: { array: [1, 1] } }] },
      'second axis': { data: [line, { ...line, yaxis: 'y2' }], layout: { yaxis2: { overlaying: 'y' } } },
      'cut axis': { data: [line], layout: { yaxis: { range: [0, 100] } } },
      annotated: { data: [line], layout: { annotations: [{ text: 'here' }] } },
      moving: { data: [line], frames: [{ data: [line] }] },
      'bars on numbers': { data: [{ type: 'bar', x: [1, 2], y: [1, 2] }] },
      nothing: {},
    };
    assert.deepEqual(
      Object.entries(figures).filter(([, figure]) => plotlyAsVega(figure) !== null),
      [],
    );
  });
});

describe('the data of a figure', () => {
  it('are a table a trace, packed ones too', () => {
    const figure = {
      data: [
        { type: 'scatter3d', name: 'path', x: packed, y: [1, 2], z: ['a', 'b'] },
        {
          type: 'heatmap',
          x: ['mo', 'tu'],
          y: ['am', 'pm'],
          z: [
            [1, 2],
            [3, 4],
          ],
        },
        { type: 'indicator' },
      ],
    };
    assert.deepEqual(traceTables(figure), [
      {
        title: 'path (scatter3d)',
        columns: ['x', 'y', 'z'],
        rows: [
          [2, 1, 'a'],
          [3.5, 2, 'b'],
        ],
        total: 2,
      },
      {
        title: 'Trace 2 (heatmap)',
        columns: ['', 'mo', 'tu'],
        rows: [
          ['am', 1, 2],
          ['pm', 3, 4],
        ],
        total: 2,
      },
    ]);
  });
});
