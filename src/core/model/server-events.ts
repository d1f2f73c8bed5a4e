/** A message of a stream of server-sent events. */
export interface ServerEvent {
  event: string;
  data: string;
  id?: string;
}

/** Reads the messages of a stream of server-sent events. `rest` is the beginning of the next message. */
export function readServerEvents(text: string): { events: ServerEvent[]; rest: string } {
  const blocks = text.replaceAll('\r\n', '\n').split('\n\n');
  const rest = blocks.pop()!;
  return { events: blocks.flatMap(readMessage), rest };
}

function readMessage(block: string): ServerEvent[] {
  const fields: Record<string, string[]> = {};
  for (const line of block.split('\n')) {
    const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/.exec(line) ?? [];
    fields[name] = [...(fields[name] ?? []), value];
  }
  const { data, event, id } = fields;
  // A comment keeps the connection open.
  if (!data) return [];
  return [{ event: event?.at(-1) ?? 'message', data: data.join('\n'), ...(id ? { id: id.at(-1)! } : {}) }];
}
