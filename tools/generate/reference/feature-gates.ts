import { featureGateRows, type FeatureGateRow } from '#features/hyperconverged/index.ts'

const phases: Readonly<Record<FeatureGateRow['phase'], string>> = {
  alpha: 'off unless it is enabled',
  beta: 'on unless it is disabled',
  GA: 'on; the gate has no effect',
  deprecated: 'off unless it is enabled; a field replaces the gate',
  discontinued: 'the gate has no effect',
}

/** The page of HyperConverged's feature gates: text by path. Pure. */
export function renderFeatureGates(): readonly [path: string, text: string] {
  const used = Object.entries(phases).filter(([phase]) => featureGateRows.some((row) => row.phase === phase))
  const rows = featureGateRows.map((row) => {
    const { name, phase, since, effect, replacedBy, isInV1beta1, kubevirt = {} } = row
    const on = (kubevirt.on ?? []).map((gate) => `\`${gate}\``)
    const off = (kubevirt.off ?? []).map((gate) => `\`${gate}\` while it is off`)
    const versions = [...(phase === 'discontinued' ? [] : ['v1']), ...(isInV1beta1 === false ? [] : ['v1beta1'])]
    return [
      `\`${name}\``,
      phase,
      since,
      effect,
      [...on, ...off].join(', '),
      replacedBy === undefined ? '' : `\`spec.${replacedBy}\``,
      versions.join(', '),
    ]
  })
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  const columns = ['gate', 'phase', 'since', 'effect', "KubeVirt's gates", 'replaced by', 'versions']
  const intro = `Feature gates of HyperConverged, in \`spec.featureGates\`. The [guide](../hyperconverged.md) shows how they are set. Generated from the sources by \`npm run generate\`.`
  const legend = used.map(([phase, text]) => `- **${phase}**: ${text}`)
  const table = [line(columns), `|${'---|'.repeat(columns.length)}`, ...rows.map(line)]
  return ['docs/reference/feature-gates.md', `# Feature gates\n\n${intro}\n\n${legend.join('\n')}\n\n${table.join('\n')}\n`]
}
