// Issues of beads as people have them: `node bench/import-issues.mjs 60000 issues.jsonl` writes 91 MB, always the same.
import { closeSync, openSync, writeSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const syllables = 'ba ce di fo gu ha je ki lo mu na pe qui ro su ta ve wi xo yu zan bro cle dri fra gle klo mer nor pla'.split(' ');
const vocabularySize = 20_000;
const people = ['ada', 'Zoë Ångström', 'grace', '李雷', 'bot-7', 'Jürgen'];
const statuses = ['open', 'open', 'closed', 'closed', 'closed', 'in_progress', 'blocked', 'deferred'];
const types = ['task', 'bug', 'feature', 'chore'];
const eachEpic = 20;

function createRandom(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Rare words are as frequent as in prose, because each new word costs a row of the search index. */
function createWords(random) {
  const words = Array.from({ length: vocabularySize }, () =>
    Array.from({ length: 1 + Math.floor(random() * 4) }, () => syllables[Math.floor(random() * syllables.length)]).join(''),
  );
  return (count) => Array.from({ length: count }, () => words[Math.floor(vocabularySize * random() ** 4)]).join(' ');
}

/** Writes `count` issues: epics with tasks, dependencies, comments, labels and criteria, 1.5 KB each. */
export function writeIssues(path, count) {
  const random = createRandom(7);
  const words = createWords(random);
  const pick = (list) => list[Math.floor(random() * list.length)];
  const toTime = (n) => new Date(Date.UTC(2025, 0, 1) + n * 240_000).toISOString();
  const toId = (n) => (n % eachEpic === 0 ? `bd-${n / eachEpic}` : `bd-${Math.floor(n / eachEpic)}.${n % eachEpic}`);
  const createIssue = (n) => {
    const id = toId(n);
    const place = n % eachEpic;
    const epic = toId(n - place);
    const link = (on, type) => ({ issue_id: id, depends_on_id: on, type, created_at: toTime(n), created_by: 'ada' });
    const status = place === 0 ? 'open' : pick(statuses);
    return {
      id,
      title: words(4 + Math.floor(random() * 8)),
      description: `${words(40)}\n\n- ${words(10)}\n- ${words(10)}\n\n${words(Math.floor(random() * 60))}`,
      ...(random() < 0.3 ? { design: words(40) } : {}),
      ...(random() < 0.3 ? { acceptance_criteria: `- [ ] ${words(9)}\n- [x] ${words(8)}` } : {}),
      ...(random() < 0.2 ? { notes: words(30) } : {}),
      status,
      priority: n % 5,
      issue_type: place === 0 ? 'epic' : pick(types),
      assignee: pick(people),
      created_at: toTime(n),
      created_by: pick(people),
      updated_at: toTime(n + 500),
      ...(status === 'closed' ? { closed_at: toTime(n + 400), close_reason: words(6) } : {}),
      ...(random() < 0.1 ? { estimated_minutes: 30 } : {}),
      labels: [pick(['backend', 'frontend', 'docs', 'infra']), `area:${place % 7}`],
      dependencies: [
        ...(place > 0 ? [link(epic, 'parent-child')] : []),
        ...(place > 1 && random() < 0.5 ? [link(toId(n - 1), 'blocks')] : []),
        ...(n > 100 && random() < 0.1 ? [link(toId(Math.floor(random() * n)), 'related')] : []),
      ],
      comments: Array.from({ length: Math.floor(random() * 3) }, (_, i) => ({
        id: i + 1,
        issue_id: id,
        author: pick(people),
        text: words(20),
        created_at: toTime(n + 100 + i),
      })),
    };
  };
  const file = openSync(path, 'w');
  for (let n = 0; n < count; n++) writeSync(file, `${JSON.stringify(createIssue(n))}\n`);
  closeSync(file);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeIssues(process.argv[3], Number(process.argv[2]));
