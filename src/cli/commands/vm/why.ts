import { kubeVirts } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { hardwareRecords } from '#api/steadyvm/v1alpha1/resources.ts'
import type { Client } from '#client/client.ts'
import { chooseKubeVirt, toClusterConfig } from '#features/cluster-config/index.ts'
import { hardwarePolicyOf } from '#features/hardware-record/index.ts'
import { nextStartOf, readClusterState, vmiPathOf, why as explain, type Explanation } from '#features/plan/index.ts'
import { connectChosenCluster, type ClusterFlags } from '#cli/cluster/connect.ts'
import { CommandError, EXIT, type CliContext } from '#cli/context.ts'
import { refusalOf, renderHardware, type ExpectedStart } from '#cli/render/hardware.ts'
import { paintFor, table, type Paint } from '#cli/render/terminal.ts'
import { print, type OutputFormat } from '#cli/render/print.ts'
import { parseVmKey } from '#cli/arguments/targets.ts'
import { getVm, readClusterConfig } from '#cli/cluster/read.ts'
import { isHyperConverged, whyHyperConverged } from '../system/why-hyperconverged.ts'

interface Flags extends ClusterFlags {
  readonly namespace?: string
  readonly output: OutputFormat
}

type Row = Explanation['rows'][number]

/**
 * Explains the source of each value of a VM's guest. Exit code 2 when the VM conflicts with its
 * instance type.
 */
export async function why(this: CliContext, flags: Flags, target: string, path?: string): Promise<void> {
  using cluster = await connectChosenCluster(this, flags)
  const { client } = cluster
  if (isHyperConverged(target)) return await whyHyperConverged(this, client, { path, format: flags.output })
  const key = parseVmKey(target, flags.namespace ?? cluster.namespace)
  if (path === hardwarePath) return await whyHardware(this, client, { key, format: flags.output })
  const [vm, config] = await Promise.all([getVm(client, key), readClusterConfig(this, client)])
  const { rows, conflict } = await explain({ client }, vm, config, path)
  if (path !== undefined && rows.length === 0) {
    throw new CommandError(`Nothing is set at "${vmiPathOf(path)}" of VM "${key.namespace}/${key.name}", and nothing has a default there`)
  }
  print(this, flags.output, {
    kind: 'Explanation',
    document: { virtualMachine: key, ...(conflict === undefined ? {} : { conflict }), values: rows },
    names: rows.map((row) => row.path),
    text: (isWide) => render(rows, conflict, { isWide, paint: paintFor(this, 'stdout') }),
  })
  if (conflict !== undefined) this.process.exitCode = EXIT.findings
}

/** Path argument that selects the recorded hardware instead of a field. */
const hardwarePath = 'hardware'

interface HardwareQuestion {
  readonly key: { readonly namespace: string; readonly name: string }
  readonly format: OutputFormat
}

/**
 * Shows the recorded hardware of a VM's guest, its history, and what the next start would change.
 * Exit code 3 when the start is refused because of it, 2 when the next start changes something.
 */
async function whyHardware(context: CliContext, client: Pick<Client, 'get' | 'list'>, { key, format }: HardwareQuestion): Promise<void> {
  const vm = await getVm(client, key)
  const refusal = refusalOf(vm)
  const record = vm.status?.steadyvm?.hardware === undefined ? undefined : await client.get(hardwareRecords, key)
  if (record === undefined) {
    throw new CommandError(`VM "${key.namespace}/${key.name}" has no HardwareRecord yet: it is written some seconds after the first start`)
  }
  const { version, fingerprint, launch, facts, history } = record
  const next = await nextStart(context, client, vm)
  const paint = paintFor(context, 'stdout')
  print(context, format, {
    kind: 'Hardware',
    document: { virtualMachine: key, version, fingerprint, launch, facts, history, next, ...(refusal === undefined ? {} : { refusal }) },
    names: [`hardwarerecord.steadyvm.io/${key.name}`],
    text: (isWide) =>
      (refusal === undefined ? '' : paint('red', `It is not started: ${refusal}\n\n`)) + renderHardware(record, next, { isWide, paint }),
  })
  if (refusal !== undefined) context.process.exitCode = EXIT.refused
  else if (next.kind === 'known' && next.changes.length > 0) context.process.exitCode = EXIT.findings
}

/** Predicts the hardware of the next start and reads the policy that applies to it. */
async function nextStart(context: CliContext, client: Pick<Client, 'get' | 'list'>, vm: VirtualMachine): Promise<ExpectedStart> {
  const state = await readClusterState(client, {
    namespace: vm.metadata.namespace ?? '',
    signal: context.signal,
    onGap: (message) => context.process.stderr.write(`warning: ${message}\n`),
  })
  const kubevirt = chooseKubeVirt(state.list(kubeVirts))
  return { ...(await nextStartOf({ cluster: state, config: toClusterConfig(kubevirt) }, vm)), policy: hardwarePolicyOf(vm, kubevirt) }
}

function render(rows: readonly Row[], conflict: string | undefined, { isWide, paint }: { isWide: boolean; paint: Paint }): string {
  const shown = rows.map(({ path, value, overrode, ...row }) => [
    isWide ? path : path.replace(/^spec\./, ''),
    isWide ? show(value) : shorten(show(value)),
    originOf(row, isWide),
    // A default that equals the value is omitted.
    overrode
      .flatMap(({ source, value: old }) => (isWide || show(old) !== show(value) ? [`${show(old)} of ${sources[source]}`] : []))
      .join(', '),
  ])
  const heading = ['VALUE OF', 'IS', 'BECAUSE OF', 'INSTEAD OF']
  const problem = conflict === undefined ? '' : paint('red', `It cannot start: ${conflict}. This is what the VM says itself.\n\n`)
  return problem + table([heading, ...shown])
}

const sources = { vm: 'the VM', instancetype: 'the instance type', preference: 'the preference', default: 'the default' } as const

function originOf({ source, object }: Pick<Row, 'source' | 'object'>, isWide: boolean): string {
  if (source === 'vm') return 'the VM itself'
  if (object === undefined) return 'a default'
  if (source === 'default') return `${object.kind} ${object.name}`
  const at = object.generation === undefined ? '' : ` at generation ${object.generation}`
  const revision = object.revision === undefined ? ' (not captured yet)' : isWide ? ` (${object.revision})` : ''
  return `${object.kind} ${object.name}${at}${revision}`
}

/** Truncates kernel arguments, keys and other long values. */
function shorten(text: string): string {
  return text.length <= longest ? text : `${text.slice(0, longest - 1)}…`
}

const longest = 48

function show(value: unknown): string {
  if (value === undefined) return 'none'
  return typeof value === 'string' ? value : JSON.stringify(value)
}
