// The few signs of the app, drawn as lines on a 20 × 20 field so that they take the colour of the text around them.
const paths = {
  run: 'M6.5 4.5v11l9-5.5z',
  stop: 'M6 6h8v8H6z',
  live: 'M11 3 5 11.500h4.500L9 17l6-8.500h-4.500z',
  more: 'M5 10h.01M10 10h.01M15 10h.01',
  plus: 'M10 4.5v11M4.5 10h11',
  close: 'M5.5 5.5l9 9M14.5 5.5l-9 9',
  up: 'M10 15.5v-11M5.5 9 10 4.5 14.5 9',
  down: 'M10 4.5v11M5.5 11l4.5 4.5L14.5 11',
  chevron: 'M7.5 5l5 5-5 5',
  search: 'M13.5 13.5 17 17M15 9A6 6 0 1 1 3 9a6 6 0 0 1 12 0z',
  outline: 'M4 5h12M7 10h9M7 15h9',
  graph:
    'M5 3.5a1.5 1.5 0 1 1 0 3 1.5 1.5 0 0 1 0-3zM15 8.5a1.5 1.5 0 1 1 0 3 1.5 1.5 0 0 1 0-3zM5 13.5a1.5 1.5 0 1 1 0 3 1.5 1.5 0 0 1 0-3zM6.5 5.6 13.5 9.3M6.5 14.4l7-3.7',
  variables:
    'M6.5 4C5 4 5 5 5 7s-.5 3-2 3c1.500 0 2 1 2 3s0 3 1.500 3M13.500 4C15 4 15 5 15 7s.5 3 2 3c-1.500 0-2 1-2 3s0 3-1.500 3',
  box: 'M10 3l7 3.500v7L10 17l-7-3.500v-7zM3 6.500 10 10l7-3.500M10 10v7',
  folder: 'M3 6V5a1 1 0 0 1 1-1h3.500l2 2H16a1 1 0 0 1 1 1v8a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1z',
  file: 'M5 3h6.500L15 6.500V17H5zM11.500 3v3.500H15',
  upload: 'M10 13V4M6 7.500l4-4 4 4M4 16.500h12',
  settings:
    'M4 6h7M15 6h1M4 14h1M9 14h7M13 4.200a1.800 1.800 0 1 1 0 3.600 1.800 1.800 0 0 1 0-3.600zM7 12.200a1.800 1.800 0 1 1 0 3.600 1.800 1.800 0 0 1 0-3.600z',
  clock: 'M10 6v4l2.500 2M17 10a7 7 0 1 1-14 0 7 7 0 0 1 14 0z',
  server: 'M4 4h12v5H4zM4 11h12v5H4zM7 6.500h.01M7 13.500h.01',
  home: 'M3.500 9.500 10 4l6.500 5.500V16h-4.500v-4h-4v4H3.500z',
  sun: 'M10 6.500a3.500 3.500 0 1 1 0 7 3.500 3.500 0 0 1 0-7zM10 2v2M10 16v2M2 10h2M16 10h2M4.300 4.300l1.400 1.400M14.300 14.300l1.400 1.400M4.300 15.700l1.400-1.400M14.300 5.700l1.400-1.400',
  moon: 'M16 11.500A6.500 6.500 0 0 1 8.500 4a6.500 6.500 0 1 0 7.500 7.500z',
  trash: 'M4 6h12M8 6V4h4v2M5.500 6l.8 10h7.400l.8-10M8.500 9v4M11.500 9v4',
  copy: 'M7 7V4h9v9h-3M4 7h9v9H4z',
  drag: 'M8 5h.01M12 5h.01M8 10h.01M12 10h.01M8 15h.01M12 15h.01',
  download: 'M10 3.500v9M6 9l4 4 4-4M4 16.500h12',
  link: 'M8.500 11.500l3-3M7 9.500 5 11.500a2.500 2.500 0 0 0 3.500 3.500l2-2M13 10.500l2-2A2.500 2.500 0 0 0 11.500 5l-2 2',
  warn: 'M10 4 17 16H3zM10 8.500v3.500M10 14h.01',
  eye: 'M2.500 10S5 5 10 5s7.500 5 7.500 5-2.500 5-7.500 5-7.500-5-7.500-5zM10 8a2 2 0 1 1 0 4 2 2 0 0 1 0-4z',
  whole: 'M4 8V4h4M12 4h4v4M16 12v4h-4M8 16H4v-4',
  fold: 'M6 4l4 3.500L14 4M6 16l4-3.500L14 16',
  help: 'M7.500 8a2.500 2.500 0 1 1 3.500 2.300c-.7.300-1 .7-1 1.700M10 14.500h.01M17 10a7 7 0 1 1-14 0 7 7 0 0 1 14 0z',
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  const isDots = name === 'more' || name === 'drag';
  return (
    <svg
      className="icon"
      viewBox="0 0 20 20"
      width={size}
      height={size}
      fill={name === 'run' || name === 'stop' ? 'currentColor' : 'none'}
      stroke="currentColor"
      strokeWidth={isDots ? 2.4 : 1.5}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d={paths[name]} />
    </svg>
  );
}
