// The model that can be asked for help in this notebook, if any. A key may come or go with the settings of the notebook.
import type { AssistOfferBody } from '../../../src/protocol/index.ts';
import { readAssistOffer } from '../api/assist.ts';
import { createStore, type NotebookModel, type Store } from '../state/index.ts';

export type Assistant = Store<AssistOfferBody, AssistOfferBody>;

const nobody: AssistOfferBody = { model: null, host: null };

/** Asked anew when the variables of the notebook are others, or the model that it names. */
export function createAssistant(
  sessionId: string,
  store: { get(): NotebookModel; subscribe(call: () => void): () => void },
): { readonly assistant: Assistant; stop(): void } {
  const assistant = createStore(nobody, (_, offer: AssistOfferBody) => offer);
  let seen: Pick<NotebookModel, 'env' | 'ai'> | undefined;
  let known: string | undefined;
  const look = (): void => {
    const { env, ai } = store.get();
    // Most changes are others, and each key that is pressed is one.
    if (env === seen?.env && ai === seen.ai) return;
    seen = { env, ai };
    const text = JSON.stringify(seen);
    if (text === known) return;
    known = text;
    // A server that has none of this, or does not answer, offers nobody.
    readAssistOffer(sessionId).then(assistant.send, () => assistant.send(nobody));
  };
  look();
  return { assistant, stop: store.subscribe(look) };
}
