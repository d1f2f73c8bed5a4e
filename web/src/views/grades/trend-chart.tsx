/** The scores of sessions from left to right, oldest first, between 0 and 100 percent. */
export function TrendChart({
  name,
  scores,
  width = 160,
  height = 32,
}: {
  name: string;
  scores: number[];
  width?: number;
  height?: number;
}) {
  const margin = 4;
  const toX = (i: number): number => (scores.length === 1 ? width / 2 : margin + (i * (width - 2 * margin)) / (scores.length - 1));
  const toY = (score: number): number => height - margin - (score * (height - 2 * margin)) / 100;
  const points = scores.map((score, i) => `${toX(i).toFixed(1)},${toY(score).toFixed(1)}`);
  const text = `${name}: ${scores.join(', ')} percent, oldest first`;
  return (
    <svg class="trend-chart" width={width} height={height} viewBox={`0 0 ${width} ${height}`} role="img" aria-label={text}>
      <title>{text}</title>
      {[0, 50, 100].map((score) => (
        <path key={score} class="grid" d={`M${margin} ${toY(score)}H${width - margin}`} />
      ))}
      {scores.length > 1 && <polyline class="line-path" points={points.join(' ')} />}
      {scores.map((score, i) => (
        <circle
          key={i}
          class={i === scores.length - 1 ? 'dot last' : 'dot'}
          cx={toX(i)}
          cy={toY(score)}
          r={i === scores.length - 1 ? 3 : 1.5}
        />
      ))}
    </svg>
  );
}
