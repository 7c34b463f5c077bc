import * as instancetypeFields from '#api/instancetype/v1beta1/not-acted-on.generated.ts'
import * as virtualMachineFields from '#api/kubevirt/v1/not-acted-on.generated.ts'
import { userRoles } from '#api/access/user-roles.ts'
import { featureGates } from '#features/cluster-config/index.ts'
import { listSubresources } from '#features/subresources/index.ts'
import { storedOnlyKinds } from '#features/virt-api/index.ts'
import type { CustomKind } from '../../custom-kind.ts'
import { kubeVirtGates, verbs, type Answer, type Verb } from './kubevirt.ts'
import { cdiMetrics, kubeVirtMetrics } from './kubevirt-metrics.ts'

const subresources = listSubresources()

/** What is compared with KubeVirt: a name, what becomes of it, and what happens or why. */
type Row = readonly [name: string, answer: Answer, what: string]

/** What the code says about itself. */
export interface Code {
  readonly kinds: readonly CustomKind[]
  /** Names of the metrics that it reports. */
  readonly metrics: readonly string[]
}

/**
 * The page that says of each kind, field, subresource, gate, role, metric and command of KubeVirt
 * whether it works: text by path. Pure.
 */
export function renderCompatibility({ kinds, metrics }: Code): readonly [path: string, text: string] {
  const sections: readonly (readonly [title: string, intro: string, rows: readonly Row[]])[] = [
    ['Kinds', 'In all of the versions that KubeVirt serves.', kindRows(kinds)],
    ['Fields', 'Fields that are not in this list are acted on, or refused with the reason.', fieldRows()],
    ['Subresources', 'Of `subresources.kubevirt.io/v1` and `v1alpha3`.', subresourceRows()],
    ['Feature gates', 'Of the KubeVirt object.', gateRows()],
    ['Roles', 'Rights on the kinds of KubeVirt, by role, resource and verb.', roleRows()],
    ['Metrics', 'Of KubeVirt and CDI. Those of steadyvm are in the [list of metrics](metrics.md).', metricRows(metrics)],
    ['virtctl', 'Commands of an unmodified `virtctl`.', verbs.map(verbRow)],
  ]
  const intro = [
    'What becomes of each kind, field, subresource, gate, role, metric and command of KubeVirt: **same**, **different**, or **not yet**, with',
    'what happens. What differs on purpose is explained in [compatibility](../compatibility.md). Generated from the sources by `npm run generate`.',
  ].join('\n')
  const text = sections.map(([title, about, rows]) => {
    const same = rows.filter(([, answer]) => answer === 'same').length
    const count = same === 0 ? `${rows.length} are here.` : `Same: ${same} of ${rows.length}.`
    return `## ${title}\n${about} ${count}\n\n${table(rows)}`
  })
  return ['docs/reference/kubevirt.md', `# Compatibility with KubeVirt\n${intro}\n\n${text.join('\n\n')}\n`]
}

function table(rows: readonly Row[]): string {
  const lines = rows.map(([name, answer, what]) => `| \`${name}\` | ${answer} | ${what} |`)
  return ['| | | |', '|---|---|---|', ...lines].join('\n')
}

function kindRows(kinds: readonly CustomKind[]): Row[] {
  const isOfKubeVirt = ({ group }: CustomKind): boolean => group.endsWith('kubevirt.io') && !/^(cdi|hco|ssp)\./.test(group)
  return kinds.filter(isOfKubeVirt).map(({ kind }) => {
    const instead = storedOnlyKinds.get(kind)
    return instead === undefined ? [kind, 'same', ''] : [kind, 'not yet', `it is stored${instead}; a warning says so`]
  })
}

function fieldRows(): Row[] {
  const lists: readonly (readonly [kind: string, paths: readonly string[]])[] = [
    ['VirtualMachine', virtualMachineFields.virtualMachineFieldsNotActedOn],
    ['VirtualMachineInstance', virtualMachineFields.virtualMachineInstanceFieldsNotActedOn],
    ['KubeVirt', virtualMachineFields.kubeVirtFieldsNotActedOn],
    ['VirtualMachineInstancetype', instancetypeFields.instancetypeFieldsNotActedOn],
    ['VirtualMachinePreference', instancetypeFields.preferenceFieldsNotActedOn],
  ]
  return lists.flatMap(([kind, paths]) =>
    paths
      // Those of a template are those of its VMI.
      .filter((path) => !(kind === 'VirtualMachine' && path.startsWith('template.spec.')))
      .map((path): Row => [`${kind} spec.${path}`, 'not yet', 'it is stored, and named in a warning']),
  )
}

/** Subresources that KubeVirt does not have. */
const added: Readonly<Record<string, string>> = {
  'virtualmachineinstances/usage': 'a subresource of steadyvm: what a guest has used, which `steadyvm top` shows',
}

function subresourceRows(): Row[] {
  return [...subresources]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, alternative]): Row => {
      if (alternative !== undefined) return [name, 'not yet', `501. ${alternative}`]
      return added[name] === undefined ? [name, 'same', ''] : [name, 'different', added[name]]
    })
}

function gateRows(): Row[] {
  return Object.entries(kubeVirtGates).map(([gate, isOpen]) => {
    const known = featureGates[gate]
    if (known === undefined) return [gate, 'not yet', 'it has no effect, and a warning says so']
    const state = known.default ? 'open' : 'closed'
    return known.default === isOpen ? [gate, 'same', `${state} unless it is switched`] : [gate, 'different', `${state} by default`]
  })
}

function roleRows(): Row[] {
  return userRoles.map(({ name }) =>
    /^(kubevirt|instancetype\.kubevirt)\.io:/.test(name)
      ? [name, 'same', 'with rights for kinds of steadyvm']
      : [name, 'different', 'a role of steadyvm'],
  )
}

/** Metrics of what does not exist here. */
const whyMissing: Readonly<Record<string, string>> = {
  kubevirt_rest_client_rate_limiter_duration_seconds: 'requests of components wait for no limiter',
  kubevirt_cdi_openstack_populator_progress_total: 'there is no populator of OpenStack volumes',
  kubevirt_cdi_ovirt_progress_total: 'there is no populator of oVirt volumes',
}

function metricRows(metrics: readonly string[]): Row[] {
  const reported = new Set(metrics)
  return [...kubeVirtMetrics, ...cdiMetrics].map(({ name, type }) =>
    reported.has(name) ? [name, 'same', type] : [name, 'not yet', whyMissing[name] ?? 'it is not reported'],
  )
}

function verbRow({ name, calls = [], otherwise = ['same', ''] }: Verb): Row {
  const missing = calls.map((call) => subresources.get(call)).find((alternative) => alternative !== undefined)
  const unknown = calls.find((call) => !subresources.has(call))
  if (unknown !== undefined) throw new RangeError(`virtctl ${name} calls ${unknown}, which is no subresource`)
  return missing === undefined ? [name, ...otherwise] : [name, 'not yet', missing]
}
