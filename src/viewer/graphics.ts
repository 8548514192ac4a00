// Pictures as pictures, in terminals that can show them: which ones can is told by their environment, and what is written to
// them is made here. Two ways are known: kitty's graphics protocol, and the inline images of iTerm2.
export type Graphics = 'kitty' | 'iterm';

/** Where on the screen, counted from one. */
export interface Area {
  readonly top: number;
  readonly left: number;
  readonly width: number;
  readonly height: number;
}

export interface Picture {
  readonly png: Uint8Array;
  readonly width: number;
  readonly height: number;
}

const mostBytes = 8 * 1024 * 1024;
const signature = '89504e470d0a1a0a';

/** Null inside programs that share a terminal among others: they do not pass pictures on. */
export function graphicsOf(environment: NodeJS.ProcessEnv): Graphics | null {
  const { TERM = '', TERM_PROGRAM = '', KITTY_WINDOW_ID, TMUX, STY, ZELLIJ } = environment;
  if (TMUX || STY || ZELLIJ || /^(screen|tmux|dumb)/.test(TERM)) return null;
  if (KITTY_WINDOW_ID || TERM === 'xterm-kitty' || TERM === 'xterm-ghostty' || TERM_PROGRAM === 'ghostty')
    return 'kitty';
  return TERM_PROGRAM === 'iTerm.app' || TERM_PROGRAM === 'WezTerm' ? 'iterm' : null;
}

/** Null for what is no PNG, and for one that is too large to be sent to a terminal. */
export function pictureOf(bytes: Uint8Array): Picture | null {
  const png = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (png.length < 24 || png.length > mostBytes || png.toString('hex', 0, 8) !== signature) return null;
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  return width === 0 || height === 0 ? null : { png, width, height };
}

/** Draws within the area, as large as fits, and leaves the cursor where it was. `id` names the picture to the terminal. */
export function drawing(graphics: Graphics, picture: Picture, area: Area, id: number): string {
  const drawn = graphics === 'kitty' ? kittyPicture(picture, area, id) : itermPicture(picture, area);
  return aside(`${placed(area.top, area.left)}${drawn}`);
}

/** Leaves the area as blank as it was. */
export function clearing(graphics: Graphics, { top, left, width, height }: Area, id: number): string {
  if (graphics === 'kitty') return `\x1b_Ga=d,d=I,i=${id},q=2\x1b\\`;
  const blank = ' '.repeat(width);
  return aside(Array.from({ length: height }, (_, row) => `${placed(top + row, left)}${blank}`).join(''));
}

const aside = (text: string): string => `\x1b7${text}\x1b8`;
const placed = (row: number, column: number): string => `\x1b[${row};${column}H`;

const chunkLength = 4096;
/** A character is at least so much taller than it is wide. The terminal, which knows exactly, makes the height of the width. */
const leastSlimness = 1.7;

function kittyPicture({ png, width, height }: Picture, area: Area, id: number): string {
  const widest = Math.floor((area.height * leastSlimness * width) / height);
  const columns = Math.max(1, Math.min(area.width, widest));
  const text = Buffer.from(png).toString('base64');
  const chunks = Array.from({ length: Math.ceil(text.length / chunkLength) }, (_, index) =>
    text.slice(index * chunkLength, (index + 1) * chunkLength),
  );
  return chunks
    .map((chunk, index) => {
      // It answers nothing (q=2): that would be read as keys.
      const head = index === 0 ? `a=T,f=100,i=${id},c=${columns},C=1,` : '';
      return `\x1b_G${head}q=2,m=${index < chunks.length - 1 ? 1 : 0};${chunk}\x1b\\`;
    })
    .join('');
}

function itermPicture({ png }: Picture, { width, height }: Area): string {
  const sizes = `size=${png.length};width=${width};height=${height}`;
  const text = Buffer.from(png).toString('base64');
  return `\x1b]1337;File=inline=1;${sizes};preserveAspectRatio=1;doNotMoveCursor=1:${text}\x07`;
}
