import type { StoreUsage } from '#core/model/store-usage.ts';
import type { App, Reply } from '#dispatch/dispatch.ts';
import { createHistogram, type Histogram, type HistogramValues } from '#lib/statistics.ts';

/** Metrics in the text format of Prometheus. */
export interface Metrics {
  /** Counts a call of an operation from any surface. */
  countCall: NonNullable<App['onReply']>;
  countRequest(status: number): void;
  changeOpen(by: 1 | -1): void;
  text(now: { uptimeSeconds: number; memoryBytes: number; usage?: StoreUsage | undefined }): string;
}

export function createMetrics(): Metrics {
  const calls = new Map<string, number>();
  const outcomes = new Map<string, number>();
  const requests = new Map<string, number>();
  const durations = new Map<string, Histogram>();
  let open = 0;
  return {
    countCall({ gateway }, reply, durationMs) {
      // Callers can invent any number of operation names, so these share one label.
      incrementCount(calls, `operation="${reply.operation?.name ?? 'unknown'}",gateway="${gateway}",exit="${reply.exitCode}"`);
      incrementCount(outcomes, `kind="${reply.operation?.kind ?? 'unknown'}",outcome="${toOutcome(reply)}"`);
      const seen = durations.get(gateway) ?? createHistogram();
      seen.observe(durationMs / 1000);
      durations.set(gateway, seen);
    },
    countRequest: (status) => incrementCount(requests, `status="${status}"`),
    changeOpen: (by) => {
      open += by;
    },
    text: ({ uptimeSeconds, memoryBytes, usage }) =>
      [
        ...formatCounter('cleo_calls_total', 'Calls by operation, gateway and exit code', calls),
        ...formatCounter('cleo_operations_total', 'Operations by outcome', outcomes),
        ...formatHistogram(
          'cleo_call_duration_seconds',
          'Duration of calls',
          [...durations].map(([gateway, { values }]) => ({ labels: `gateway="${gateway}"`, values })),
        ),
        ...formatCounter('cleo_http_requests_total', 'HTTP requests by status', requests),
        ...formatGauge('cleo_http_open_requests', 'Running HTTP requests', open),
        ...(usage ? formatUsage(usage) : []),
        ...formatGauge('cleo_uptime_seconds', 'Time since the server started', uptimeSeconds),
        ...formatGauge('process_resident_memory_bytes', 'Resident memory of the process', memoryBytes),
        '',
      ].join('\n'),
  };
}

/** `denied`: the caller may not do it. `busy`: try it again. `failed`: the store or the server has a problem. */
function toOutcome({ error }: Reply): 'success' | 'rejected' | 'denied' | 'busy' | 'failed' {
  if (!error) return 'success';
  if (error.exitCode === 64) return 'denied';
  if (error.exitCode === 7) return 'busy';
  return error.httpStatus >= 500 ? 'failed' : 'rejected';
}

function formatUsage({ connections, lockWait }: StoreUsage): string[] {
  const toSamples = (pick: (entry: StoreUsage['connections'][number]) => number): Map<string, number> =>
    new Map(connections.map((entry) => [`use="${entry.use}"`, pick(entry)]));
  return [
    ...formatHistogram('cleo_store_lock_wait_seconds', 'Time that writes waited for a connection and the write lock', [
      { labels: '', values: lockWait },
    ]),
    ...formatSamples(
      'cleo_store_connections_max',
      'Connections to the store at most',
      'gauge',
      toSamples(({ max }) => max),
    ),
    ...formatSamples(
      'cleo_store_calls_active',
      'Calls that use a connection to the store',
      'gauge',
      toSamples(({ active }) => active),
    ),
    ...formatSamples(
      'cleo_store_calls_waiting',
      'Calls that wait for one, or for the lock',
      'gauge',
      toSamples(({ waiting }) => waiting),
    ),
  ];
}

const incrementCount = (counts: Map<string, number>, labels: string): void => void counts.set(labels, (counts.get(labels) ?? 0) + 1);

const formatSamples = (name: string, help: string, type: 'counter' | 'gauge', samples: Map<string, number>): string[] => [
  `# HELP ${name} ${help}`,
  `# TYPE ${name} ${type}`,
  ...[...samples].map(([labels, n]) => `${name}{${labels}} ${n}`),
];

const formatCounter = (name: string, help: string, counts: Map<string, number>): string[] => formatSamples(name, help, 'counter', counts);

const formatHistogram = (name: string, help: string, series: { labels: string; values: HistogramValues }[]): string[] => [
  `# HELP ${name} ${help}`,
  `# TYPE ${name} histogram`,
  ...series.flatMap(({ labels, values: { bounds, within, count, sum } }) => {
    const inner = labels && `${labels},`;
    const outer = labels && `{${labels}}`;
    return [
      ...bounds.map((bound, i) => `${name}_bucket{${inner}le="${bound}"} ${within[i]}`),
      `${name}_bucket{${inner}le="+Inf"} ${count}`,
      `${name}_sum${outer} ${sum}`,
      `${name}_count${outer} ${count}`,
    ];
  }),
];

const formatGauge = (name: string, help: string, value: number): string[] => [
  `# HELP ${name} ${help}`,
  `# TYPE ${name} gauge`,
  `${name} ${value}`,
];
