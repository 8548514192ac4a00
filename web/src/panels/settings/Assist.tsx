// Whom one can ask for help in this notebook, and where that is set.
import { useNotebook } from '../../notebook/context.ts';
import { useStore } from '../../state/index.ts';

export function Assist() {
  const { assistant } = useNotebook();
  const { model, host } = useStore(assistant, (offer) => offer);
  return (
    <>
      {model === null ? (
        <p className="panel-note">Off: no model is set.</p>
      ) : (
        <dl className="facts">
          <dt>Model</dt>
          <dd>{model}</dd>
          <dt>Asked at</dt>
          <dd>{host}</dd>
        </dl>
      )}
      <p className="panel-note">
        Add a variable such as <code>OPENAI_API_KEY</code>, or a table <code>[ai]</code> in <code>notebook.toml</code>.
        For all notebooks the operator sets <code>SVC_AI_MODEL</code>, <code>SVC_AI_BASE_URL</code> and{' '}
        <code>SVC_AI_API_KEY</code>.
      </p>
      <p className="panel-note">Names, types and columns are sent; values only when you say so each time.</p>
    </>
  );
}
