/**
 * Use of language models by prompt cells. Under principal auth the scrape is open to all, so nothing is kept but the
 * model: what is not there cannot leak.
 */
import { createLedger } from './ledger.ts';

export interface AiCall {
  readonly tenant: string;
  readonly principal: string;
  readonly model: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

export interface AiUsageRow {
  readonly labels: Readonly<Record<string, string>>;
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

export interface AiUsage {
  readonly labelNames: readonly string[];
  record(call: AiCall): void;
  rows(): AiUsageRow[];
}

const maxRows = 1000;

export function createAiUsage({ principalAuth }: { readonly principalAuth: boolean }): AiUsage {
  const ledger = createLedger(maxRows, () => ({ labels: {}, calls: 0, inputTokens: 0, outputTokens: 0 }));
  return {
    labelNames: principalAuth ? ['model'] : ['tenant', 'principal', 'model'],
    record({ tenant, principal, model, inputTokens, outputTokens }) {
      const labels = principalAuth ? { model } : { tenant, principal, model };
      const row = ledger.row(JSON.stringify(labels));
      row.labels = labels;
      row.calls += 1;
      row.inputTokens += inputTokens;
      row.outputTokens += outputTokens;
    },
    rows: () => ledger.entries().map(([, row]) => row),
  };
}
