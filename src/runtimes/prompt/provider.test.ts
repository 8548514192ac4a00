import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type AiOffer, chooseProvider } from './provider.ts';

const offer: AiOffer = { baseUrl: null, model: null, apiKey: 'of the server', maxOutputTokens: 10, timeoutSeconds: 5 };
const chosen = { model: null, api_key: null, max_output_tokens: 10, timeout_seconds: 5 };
const wanted = { model: null, maxTokens: null };
const openAi = 'https://api.openai.com/v1';
const others = [
  'https://api.anthropic.com/v1',
  'https://api.mistral.ai/v1',
  `${openAi}.elsewhere.org`,
  'http://localhost:1',
];
const keyAt = (base_url: string | null, given: AiOffer): string | null =>
  chooseProvider({ ...chosen, base_url }, {}, given, wanted).apiKey;

describe('the key of the server', () => {
  it('goes to the address that the operator set and to no other, whatever a notebook names', () => {
    const own = { ...offer, baseUrl: 'https://models.example/v1/' };
    assert.deepEqual(
      [null, 'https://models.example/v1', openAi, ...others].map((place) => keyAt(place, own)),
      [own.apiKey, own.apiKey, null, null, null, null, null],
    );
  });

  it('goes to OpenAI alone where the operator set no address', () => {
    assert.deepEqual(
      [null, openAi, ...others].map((place) => keyAt(place, offer)),
      [offer.apiKey, offer.apiKey, null, null, null, null],
    );
  });

  it('is not sent where the environment of the notebook holds a key of its own', () => {
    const env = { ANTHROPIC_API_KEY: 'own' };
    const { baseUrl, apiKey } = chooseProvider(null, env, offer, wanted);
    assert.deepEqual([baseUrl, apiKey], [others[0], 'own']);
  });
});
