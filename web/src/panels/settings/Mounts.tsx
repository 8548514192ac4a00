// Folders of object stores that cells see under a name.

import { useState } from 'react';
import type { MountRecord } from '../../../../src/protocol/index.ts';
import { messageOf, setMounts, testMount } from '../../api/index.ts';
import { useModel, useNotebook } from '../../notebook/context.ts';
import { useObjection } from '../../notebook/rights.ts';
import { bytes } from '../../state/index.ts';
import { Button, Message } from '../../ui/index.ts';
import { Entries, Line, missingName, objectionToNames } from './Entries.tsx';
import { rebaseNamed } from './rebase.ts';
import { SettingForm } from './SettingForm.tsx';
import { useSetting } from './useSetting.ts';

const made = (): MountRecord => ({ name: '', uri: '', mode: 'ro', pin: null, options: {}, credential: null });

const schemes = /^(?:az|azure|file|gcs|gs|s3):\/\/./;

function objection(mounts: readonly MountRecord[]): string | null {
  const odd = mounts.find(({ uri }) => uri !== '' && !schemes.test(uri));
  return (
    objectionToNames(mounts) ??
    (odd ? `${odd.name}: write an address such as s3://bucket/folder, gs://…, az://… or file:///folder.` : null)
  );
}

function missing(mounts: readonly MountRecord[]): string | null {
  const bare = mounts.find(({ uri }) => uri === '');
  return (
    missingName(mounts, 'mount') ?? (bare ? `${bare.name} has no address: write one such as s3://bucket/folder.` : null)
  );
}

export function Mounts() {
  const { sessionId } = useNotebook();
  const saved = useModel((model) => model.mounts);
  const setting = useSetting<readonly MountRecord[]>({
    id: 'mounts',
    saved,
    doing: 'setting mounts',
    write: (mounts) => setMounts(sessionId, mounts),
    objection,
    missing,
    rebase: rebaseNamed(({ name }) => name),
    readFrom: ({ mounts }) => mounts,
  });
  return (
    <SettingForm
      setting={setting}
      hint={
        <>
          Cells read them by name: <code>open(data / "sales.csv")</code> for a mount called <code>data</code>.
        </>
      }
    >
      {() => (
        <Entries
          entries={setting.value}
          noun="mount"
          made={made}
          onChange={setting.change}
          fields={(mount, change) => (
            <>
              <Fields mount={mount} change={change} />
              <Test mount={mount} />
            </>
          )}
        />
      )}
    </SettingForm>
  );
}

type Tested = { readonly words: string; readonly isGood: boolean } | 'testing' | null;

/** Asks the server to open it as it is written here, before it is saved. */
function Test({ mount }: { mount: MountRecord }) {
  const objection = useObjection('notebook:execute');
  const { sessionId } = useNotebook();
  const [tested, setTested] = useState<{ readonly of: MountRecord; readonly result: Tested } | null>(null);
  const result = tested?.of === mount ? tested.result : null;
  async function test(): Promise<void> {
    setTested({ of: mount, result: 'testing' });
    try {
      const { files, bytes: size } = await testMount(sessionId, mount);
      const words = `${files} ${files === 1 ? 'file' : 'files'}${size === null ? '' : `, ${bytes(size)}`}`;
      setTested({ of: mount, result: { words: `It opens: ${words}.`, isGood: true } });
    } catch (error) {
      setTested({ of: mount, result: { words: messageOf(error), isGood: false } });
    }
  }
  return (
    <>
      <Button
        title={objection ?? undefined}
        disabled={objection !== null || result === 'testing' || mount.uri === ''}
        onClick={() => void test()}
      >
        {result === 'testing' ? 'Testing …' : 'Test'}
      </Button>
      {result !== null && result !== 'testing' && (
        <div role="status">
          <Message tone={result.isGood ? 'plain' : 'error'}>{result.words}</Message>
        </div>
      )}
    </>
  );
}

function Fields({ mount, change }: { mount: MountRecord; change: (mount: MountRecord) => void }) {
  const { name, uri, mode, pin, credential } = mount;
  return (
    <>
      <Line label="Name" value={name} example="data" onChange={(text) => change({ ...mount, name: text.trim() })} />
      <Line
        label="Address"
        value={uri}
        example="s3://bucket/folder"
        onChange={(text) => change({ ...mount, uri: text.trim() })}
      />
      <label className="labelled">
        <span>Cells may</span>
        <select
          className="input"
          value={mode}
          onChange={(event) => change({ ...mount, mode: event.target.value === 'rw' ? 'rw' : 'ro' })}
        >
          <option value="ro">read</option>
          <option value="rw">read and write</option>
        </select>
      </label>
      <Line
        label="Pin"
        value={pin ?? ''}
        example="as it is now"
        onChange={(text) => change({ ...mount, pin: text.trim() || null })}
      />
      <Line
        label="Credential"
        value={credential ?? ''}
        example="none"
        onChange={(text) => change({ ...mount, credential: text.trim() || null })}
      />
    </>
  );
}
