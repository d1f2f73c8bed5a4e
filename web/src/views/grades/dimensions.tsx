import type { Result } from '../../api/operations.generated.ts';

export type Grade = Result<'admin.grade'>['grade'];
export type DimensionName = keyof Grade['dimensions'];

/** The five dimensions in the order of the rubric. */
export const dimensionNames: DimensionName[] = [
  'sessionDiscipline',
  'discoveryEfficiency',
  'taskHygiene',
  'errorProtocol',
  'disclosureUse',
];

export const dimensionLabels: Record<DimensionName, string> = {
  sessionDiscipline: 'Session discipline',
  discoveryEfficiency: 'Discovery efficiency',
  taskHygiene: 'Task hygiene',
  errorProtocol: 'Error protocol',
  disclosureUse: 'Disclosure use',
};

export const dimensionAbouts: Record<DimensionName, string> = {
  sessionDiscipline: 'lists the sessions first, and ends its own',
  discoveryEfficiency: 'finds tasks instead of listing all of them',
  taskHygiene: 'describes new tasks, and checks their parent',
  errorProtocol: 'looks up what it did not find, and adds nothing twice',
  disclosureUse: 'reads the help, and uses MCP',
};

const levels: [minShare: number, level: string][] = [
  [0.75, 'good'],
  [0.45, 'fair'],
  [0, 'poor'],
];

/** Names the color of a share of the points. */
export const getLevel = (share: number): string => levels.find(([minShare]) => share >= minShare)![1];

/** The letter and the points of a grade. */
export const ScoreBadge = ({ letter, percent }: { letter: string; percent: number }) => (
  <span class={`score-badge ${getLevel(percent / 100)}`}>
    <strong>{letter}</strong> {percent}
  </span>
);

/** The five dimensions as small columns, with the figures as their text. */
export function DimensionColumns({ dimensions }: { dimensions: Grade['dimensions'] }) {
  const text = dimensionNames.map((name) => `${dimensionLabels[name]} ${dimensions[name].score} of ${dimensions[name].max}`).join(', ');
  const [width, height] = [9, 20];
  return (
    <svg class="dimension-columns" width={5 * (width + 2)} height={height} role="img" aria-label={text}>
      <title>{text}</title>
      {dimensionNames.map((name, i) => {
        const { score, max } = dimensions[name];
        const size = Math.max(1.5, (height * score) / max);
        return (
          <g key={name} class={getLevel(score / max)}>
            <rect class="rest" x={i * (width + 2)} y="0" width={width} height={height} rx="2" />
            <rect class="fill" x={i * (width + 2)} y={height - size} width={width} height={size} rx="2" />
          </g>
        );
      })}
    </svg>
  );
}
