import type { App, Reply } from '#dispatch/dispatch.ts';

/** Metrics in the text format of Prometheus. */
export interface Metrics {
  /** Counts a call of an operation from any surface. */
  countCall: NonNullable<App['onReply']>;
  countRequest(status: number): void;
  changeOpen(by: 1 | -1): void;
  text(uptimeSeconds: number, memoryBytes: number): string;
}

/** Bucket bounds of the call durations, in seconds. */
const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

export function createMetrics(): Metrics {
  const calls = new Map<string, number>();
  const requests = new Map<string, number>();
  const durations = new Map<string, { within: number[]; count: number; sum: number }>();
  let open = 0;
  return {
    countCall({ gateway }, { exitCode, operation }: Reply, durationMs) {
      // Callers can invent any number of operation names, so these share one label.
      incrementCount(calls, `operation="${operation?.name ?? 'unknown'}",gateway="${gateway}",exit="${exitCode}"`);
      const seen = durations.get(gateway) ?? { within: bounds.map(() => 0), count: 0, sum: 0 };
      const seconds = durationMs / 1000;
      bounds.forEach((bound, i) => {
        if (seconds <= bound) seen.within[i]!++;
      });
      seen.count++;
      seen.sum += seconds;
      durations.set(gateway, seen);
    },
    countRequest: (status) => incrementCount(requests, `status="${status}"`),
    changeOpen: (by) => {
      open += by;
    },
    text: (uptimeSeconds, memoryBytes) =>
      [
        ...formatCounter('cleo_calls_total', 'Calls by operation, gateway and exit code', calls),
        '# HELP cleo_call_duration_seconds Duration of calls',
        '# TYPE cleo_call_duration_seconds histogram',
        ...[...durations].flatMap(([gateway, { within, count, sum }]) => [
          ...bounds.map((bound, i) => `cleo_call_duration_seconds_bucket{gateway="${gateway}",le="${bound}"} ${within[i]}`),
          `cleo_call_duration_seconds_bucket{gateway="${gateway}",le="+Inf"} ${count}`,
          `cleo_call_duration_seconds_sum{gateway="${gateway}"} ${sum}`,
          `cleo_call_duration_seconds_count{gateway="${gateway}"} ${count}`,
        ]),
        ...formatCounter('cleo_http_requests_total', 'HTTP requests by status', requests),
        ...formatGauge('cleo_http_open_requests', 'Running HTTP requests', open),
        ...formatGauge('cleo_uptime_seconds', 'Time since the server started', uptimeSeconds),
        ...formatGauge('process_resident_memory_bytes', 'Resident memory of the process', memoryBytes),
        '',
      ].join('\n'),
  };
}

const incrementCount = (counts: Map<string, number>, labels: string): void => void counts.set(labels, (counts.get(labels) ?? 0) + 1);

const formatCounter = (name: string, help: string, counts: Map<string, number>): string[] => [
  `# HELP ${name} ${help}`,
  `# TYPE ${name} counter`,
  ...[...counts].map(([labels, n]) => `${name}{${labels}} ${n}`),
];

const formatGauge = (name: string, help: string, value: number): string[] => [
  `# HELP ${name} ${help}`,
  `# TYPE ${name} gauge`,
  `${name} ${value}`,
];
