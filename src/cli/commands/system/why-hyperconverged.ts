import { nodes } from '#api/core/v1/resources.ts'
import { hyperConvergeds } from '#api/hco/v1/resources.ts'
import { kubeVirts } from '#api/kubevirt/v1/resources.ts'
import { componentOverrides } from '#api/steadyvm/v1alpha1/resources.ts'
import type { Client } from '#client/client.ts'
import { found } from '#client/found.ts'
import { chooseKubeVirt } from '#features/cluster-config/index.ts'
import { explainHyperConverged, hyperConvergedKey, phraseOf, type ExplainedValue } from '#features/hyperconverged/index.ts'
import { CommandError, type CliContext } from '#cli/context.ts'
import { print, type OutputFormat } from '#cli/render/print.ts'
import { table } from '#cli/render/terminal.ts'

/** Reports whether the target of `why` is the HyperConverged object, which has no other name. */
export function isHyperConverged(target: string): boolean {
  return ['hco', 'hcos', 'hyperconverged', `hco/${hyperConvergedKey.name}`, `hyperconverged/${hyperConvergedKey.name}`].includes(target)
}

interface Question {
  readonly path: string | undefined
  readonly format: OutputFormat
}

/** Explains where the values of the components come from. */
export async function whyHyperConverged(
  context: CliContext,
  client: Pick<Client, 'get' | 'list'>,
  { path, format }: Question,
): Promise<void> {
  const hyperconverged = await found(client.get(hyperConvergeds, hyperConvergedKey))
  if (hyperconverged === undefined) {
    const { namespace, name } = hyperConvergedKey
    throw new CommandError(
      `There is no HyperConverged object "${namespace}/${name}": "steadyvm install --part hyperconverged" prints its operator and it`,
    )
  }
  const [allNodes, allKubeVirts, overrides] = await Promise.all([
    client.list(nodes),
    client.list(kubeVirts),
    found(client.list(componentOverrides)),
  ])
  const values = explainHyperConverged(
    {
      hyperconverged,
      nodes: allNodes.items,
      kubevirt: chooseKubeVirt(allKubeVirts.items),
      overrides: overrides?.items ?? [],
      now: context.now(),
    },
    path,
  )
  if (values.length === 0) throw new CommandError(`No component has a value at "${path}", or one that comes from it`)
  const { generation, rolledBack } = hyperconverged.status?.steadyvm?.configuration ?? {}
  if (rolledBack !== undefined)
    context.process.stderr.write(
      `note: ${rolledBack.component} refused generation ${rolledBack.generation}, which is shown; generation ${generation} is in effect: ${rolledBack.message}\n`,
    )
  print(context, format, {
    kind: 'HyperConvergedExplanation',
    document: { values, ...(rolledBack === undefined ? {} : { inEffect: generation, rolledBack }) },
    names: values.map((value) => `${value.component}/${value.path}`),
    text: (isWide) => render(values, isWide),
  })
}

function render(values: readonly ExplainedValue[], isWide: boolean): string {
  const rows = values.map(({ component, path, value, source }) => [
    component,
    isWide ? path : path.replace(/^spec\./, ''),
    shorten(typeof value === 'string' ? value : JSON.stringify(value), isWide),
    phraseOf(source),
  ])
  return table([['COMPONENT', 'VALUE OF', 'IS', 'BECAUSE OF'], ...rows])
}

const longest = 48

/** Truncates lists and objects. */
function shorten(text: string, isWide: boolean): string {
  return isWide || text.length <= longest ? text : `${text.slice(0, longest - 1)}…`
}
