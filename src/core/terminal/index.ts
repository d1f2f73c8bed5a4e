// The drawing toolkit of terminal views. Nothing on the cold path imports it.
export * from './bar.ts';
export * from './card.ts';
export * from './cell.ts';
export * from './changes.ts';
export * from './lines.ts';
export * from './omitted.ts';
export * from './record.ts';
export * from './screen.ts';
export * from './table.ts';
export * from './text.ts';
export * from './tree.ts';
export * from './view.ts';
export * from './work.ts';
