import { checkReleases } from '#features/hyperconverged/index.ts'
import { checkRules, drawingOf, renderMermaid, upgradeLanes } from '#features/upgrade-graph/index.ts'

/**
 * The page of our own upgrade graph: text by path. It fails when a check finds something, so that
 * no release is published with a graph that strands its users. Pure.
 */
export function renderReleaseGraph(upgradePatches: string): readonly [path: string, text: string] {
  const checked = checkReleases(upgradePatches)
  const [finding] = checked.findings
  if (finding !== undefined) throw new ReleaseGraphWrong(`${finding.id}: ${finding.object}: ${finding.what}. ${finding.remedy}`)
  const lanes = upgradeLanes(checked.scopes)
  const { ways = 0n, objects = 0 } = checked.convergence ?? {}
  const rows = lanes.map(({ from, to, isPreferred }) => `| \`${from}\` | \`${to}\` | ${isPreferred ? 'yes' : ''} |`)
  const lines = [
    '# Upgrade graph of the releases',
    '',
    "Which released version can be upgraded to which. Versions of KubeVirt's own operator are those whose installations can be taken over. `steadyvm graph` prints it, and the [guide](../guide/upgrade-graph.md) shows how to read it. Generated from the sources by `npm run generate`, and only while no check finds anything.",
    '',
    '```mermaid',
    renderMermaid(drawingOf(checked.graph)).trimEnd(),
    '```',
    '',
    '## Upgrades to be tested',
    '',
    'Where several upgrades begin at a version, the preferred one leads nearest to the newest version.',
    '',
    '| from | to | preferred |',
    '|---|---|---|',
    ...rows,
    '',
    '## Upgrade patches',
    '',
    `The upgrade patches of HyperConverged give the same object on all ${ways} ways between two of these versions: for the default object of each version, and with another value in each field that a patch touches (${objects} objects).`,
    '',
    '## Checks',
    '',
    '| id | severity | why | remedy |',
    '|---|---|---|---|',
    ...Object.entries(checkRules).map(
      ([id, { severity, why, remedy }]) => `| \`${id}\` | ${severity} | ${escaped(why)} | ${escaped(remedy)} |`,
    ),
  ]
  return ['docs/reference/upgrade-graph.md', `${lines.join('\n')}\n`]
}

/** A check has found something in our own upgrade graph. */
class ReleaseGraphWrong extends Error {
  override readonly name = 'ReleaseGraphWrong'
}

function escaped(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
