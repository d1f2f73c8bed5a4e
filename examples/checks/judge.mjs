// A judge is any program: it reads a question as JSON and prints a verdict. This one knows two rules and no model.
const text = await new Promise((resolve) => {
  let all = '';
  process.stdin
    .setEncoding('utf8')
    .on('data', (part) => (all += part))
    .on('end', () => resolve(all));
});
const { rubric, artifacts } = JSON.parse(text);
const report = artifacts.find(({ path }) => path === 'report.md')?.text ?? '';
const rules = { cheapest: /^Cheapest: \w+/m, figures: /^- \w+: \d/m };
const criteria = rubric.map(({ id }) => ({ id, score: rules[id]?.test(report) ? 1 : 0, reason: `looked for ${rules[id]}` }));
const weight = rubric.reduce((sum, one) => sum + one.weight, 0);
const score = rubric.reduce((sum, { weight: w }, i) => sum + w * criteria[i].score, 0) / weight;
console.log(JSON.stringify({ verdict: score === 1 ? 'pass' : 'fail', score, reasons: ['by two rules'], criteria, model: 'none' }));
