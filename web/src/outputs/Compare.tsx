// What a cell shows, beside what it or a variant of it showed: tables and pictures, each with its counterpart.
import type { DisplayRecord } from '../../../src/protocol/index.ts';
import { blobAddress } from '../api/index.ts';
import { CompareTables } from '../grid/CompareTables.tsx';
import { ComparePictures } from './ComparePictures.tsx';

interface CompareProps {
  readonly before: readonly DisplayRecord[];
  readonly after: readonly DisplayRecord[];
  readonly names: [string, string];
  readonly sessionId: string;
  readonly cellId: string;
}

const isPicture = ({ content_type }: DisplayRecord): boolean => /^image\/(png|jpeg|gif)$/.test(content_type);
const pictureOf = ({ inline_data_url }: DisplayRecord): string | null =>
  typeof inline_data_url === 'string' ? inline_data_url : null;

export function Compare({ before, after, names, sessionId, cellId }: CompareProps) {
  const shown = after.flatMap((now, index) => {
    const then = before[index];
    if (!then) return [];
    if (now.content_type === 'arrow/ipc' && then.content_type === 'arrow/ipc' && now.artifact_uri && then.artifact_uri)
      return [
        <CompareTables
          key={now.artifact_uri}
          place={{ sessionId, cellId, uri: now.artifact_uri }}
          before={then.artifact_uri}
          names={names}
        />,
      ];
    const [old, current] = [pictureOf(then), pictureOf(now) ?? blobAddress(sessionId, cellId, index)];
    if (!isPicture(now) || !isPicture(then) || old === null) return [];
    const pictures = [
      { source: old, followsTheme: then.follows_theme === true },
      { source: current, followsTheme: now.follows_theme === true },
    ] as const;
    return [<ComparePictures key={current} pictures={pictures} names={names} />];
  });
  return shown.length > 0 ? shown : <p className="tool-none">Nothing to compare: both need a table or a picture.</p>;
}
