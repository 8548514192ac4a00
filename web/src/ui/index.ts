// The door of the design system: pieces that know nothing of notebooks.
export { announce } from './announce.ts';
export { Button, IconButton } from './Button.tsx';
export { copyText } from './copyText.ts';
export { Dialog } from './Dialog.tsx';
export { focusBack } from './focusBack.ts';
export { Guard } from './Guard.tsx';
export { Icon, type IconName } from './Icon.tsx';
export { Menu, type MenuItem } from './Menu.tsx';
export { beginPress, whenLetGo } from './press.ts';
export { printPage, usePrinting } from './printing.ts';
export { Chip, Dot, Field, Keys, keyText, Message, Progress } from './small.tsx';
export { chosenTheme, followTheme, nextTheme, type Theme, useShownTheme } from './theme.ts';
export { useInSlices } from './useInSlices.ts';
