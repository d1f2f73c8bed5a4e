/** The shapes of all icons, drawn with lines on a grid of 16 px. */
const shapes = {
  now: 'M2 8h3l2-5 3 10 2-5h2',
  board: 'M2.5 3h3v10h-3zM6.5 3h3v7h-3zM10.5 3h3v5h-3z',
  tree: 'M3 3h4M5 3v9.5h3M5 7.5h3M9.5 6h4v3h-4zM9.5 11h4v3h-4z',
  graph: 'M2 6.5h3.5v3H2zM10.5 2.5H14v3h-3.5zM10.5 10.5H14v3h-3.5zM5.5 8h2.5M10.5 4H8v8h2.5',
  memory: 'M3 3.5C3 2.7 3.7 2 4.5 2H13v12H4.5c-.8 0-1.5-.7-1.5-1.5zM3 12.5c0-.8.7-1.5 1.5-1.5H13M6 5h4.5',
  document: 'M4 2h5.5L13 5.5V14H4zM9.5 2v3.5H13M6 8.5h5M6 11h5',
  log: 'M2.5 3.5h.01M2.5 8h.01M2.5 12.5h.01M5.5 3.5h8M5.5 8h8M5.5 12.5h8',
  runs: 'M3 3.5v9M13 8H6.5M6.5 8 3 4.5M6.5 8 3 11.5M10.5 5.5 13 8l-2.5 2.5',
  search: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10zM10.7 10.7 14 14',
  plus: 'M8 3v10M3 8h10',
  minus: 'M3 8h10',
  fit: 'M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10',
  check: 'm3 8.5 3.2 3.2L13 4.8',
  close: 'm4 4 8 8M12 4l-8 8',
  copy: 'M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z',
  chevron: 'm6 3.5 4.5 4.5L6 12.5',
  down: 'M3.5 6 8 10.5 12.5 6',
  dots: 'M3.2 7.6h.8v.8h-.8zM7.6 7.6h.8v.8h-.8zM12 7.6h.8v.8h-.8z',
  light:
    'M8 5.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6zM8 1.5v1.4M8 13.1v1.4M1.5 8h1.4M13.1 8h1.4M3.4 3.4l1 1M11.6 11.6l1 1M12.6 3.4l-1 1M4.4 11.6l-1 1',
  dark: 'M13 9.8A5.5 5.5 0 0 1 6.2 3 5.5 5.5 0 1 0 13 9.8z',
  system: 'M2 3h12v8H2zM6 14h4M8 11v3',
  keyboard: 'M1.5 4h13v8h-13zM4 6.5h.01M6.5 6.5h.01M9 6.5h.01M11.5 6.5h.01M4 9.5h8',
  edit: 'm10.5 3 2.5 2.5L6 12.5l-3 .5.5-3z',
  warning: 'M8 2 14.5 13.5h-13zM8 6.5v3M8 11.5h.01',
  person: 'M8 8a2.6 2.6 0 1 0 0-5.2A2.6 2.6 0 0 0 8 8zM3 13.5c.6-2.4 2.5-3.6 5-3.6s4.4 1.2 5 3.6',
  clock: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 4.8V8l2.2 1.6',
  calendar: 'M2.5 4h11v9.5h-11zM2.5 7h11M5.5 2v3M10.5 2v3',
  label: 'M2.5 2.5h5.6l5.4 5.4-5.6 5.6-5.4-5.4zM5.4 5.4h.01',
  link: 'M6.8 9.2a2.6 2.6 0 0 0 3.7 0l2.2-2.2A2.6 2.6 0 0 0 9 3.3l-.9.9M9.2 6.8a2.6 2.6 0 0 0-3.7 0L3.3 9A2.6 2.6 0 0 0 7 12.7l.9-.9',
  filter: 'M2 3.5h12M4.5 8h7M6.5 12.5h3',
  stop: 'M4.5 4.5h7v7h-7z',
  play: 'M5 3.5 12.5 8 5 12.5z',
  pause: 'M5 3.5v9M11 3.5v9',
  sessions: 'M2 4h7M6 8h8M3 12h6M11.5 4h2M2 8h1.5M11.5 12h1',
  grades: 'M2.5 13.5v-4h2.6v4zM6.7 13.5v-7h2.6v7zM10.9 13.5v-11h2.6v11z',
  download: 'M8 2.5v8M4.5 7.5 8 11l3.5-3.5M2.5 13.5h11',
  block: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM3.8 3.8l8.4 8.4',
  archive: 'M2 3h12v3H2zM3 6h10v7.5H3zM6.5 9h3',
  trash: 'M3 4.5h10M6.5 4.5V3h3v1.5M4.5 4.5 5 13.5h6l.5-9',
  undo: 'M6 3 2.5 6.5 6 10M2.5 6.5H9a3.8 3.8 0 0 1 0 7.6H7',
} as const;

export type IconName = keyof typeof shapes;

/** An icon without a meaning of its own: the text next to it, or the label of its button, says it. */
export const Icon = ({ name, size = 16 }: { name: IconName; size?: number }) => (
  <svg class="icon" width={size} height={size} viewBox="0 0 16 16" aria-hidden="true">
    <path d={shapes[name]} />
  </svg>
);
