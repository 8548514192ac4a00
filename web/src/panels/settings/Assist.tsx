// Whom one can ask for help in this notebook, and the model that prompt cells ask.
import type { AiRecord } from '../../../../src/protocol/index.ts';
import { setAi } from '../../api/index.ts';
import { useModel, useNotebook } from '../../notebook/context.ts';
import { useStore } from '../../state/index.ts';
import { Line } from './Entries.tsx';
import { rebaseFields } from './rebase.ts';
import { SettingForm } from './SettingForm.tsx';
import { useSetting } from './useSetting.ts';

const nobody: AiRecord = { model: null, base_url: null };

export function Assist() {
  const { assistant, sessionId } = useNotebook();
  const { model, host } = useStore(assistant, (offer) => offer);
  const saved = useModel(({ ai }) => ai) ?? nobody;
  const setting = useSetting<AiRecord>({
    id: 'ai',
    saved,
    doing: 'setting the model',
    write: (ai) => setAi(sessionId, ai),
    rebase: rebaseFields,
    objection: ({ base_url }) =>
      base_url === null || /^https?:\/\/[^\s/@]+(?:\/\S*)?$/.test(base_url)
        ? null
        : 'Write an address such as https://models.example/v1, without a password.',
  });
  const { value, change } = setting;
  return (
    <>
      <p className="panel-note">
        {model === null ? 'Off: there is no key for a model.' : `On: ${model}, asked at ${host}.`}
      </p>
      <SettingForm
        setting={setting}
        hint={
          <>
            Empty: what the server offers (<code>SVC_AI_MODEL</code>, <code>SVC_AI_BASE_URL</code>). Its key is a
            variable such as <code>OPENAI_API_KEY</code>, or the operator’s <code>SVC_AI_API_KEY</code>.
          </>
        }
      >
        {() => (
          <>
            <Line
              label="Model"
              value={value.model ?? ''}
              example="gpt-5-mini"
              onChange={(text) => change({ ...value, model: text.trim() || null })}
            />
            <Line
              label="Address"
              value={value.base_url ?? ''}
              example="https://models.example/v1"
              onChange={(text) => change({ ...value, base_url: text.trim() || null })}
            />
          </>
        )}
      </SettingForm>
      <p className="panel-note">Names, types and columns are sent; values only when you say so each time.</p>
    </>
  );
}
