import { toYaml } from '#apimachinery/json/yaml.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { describeConflicts, expandVirtualMachine, findMatchedObjects, inferMatchers } from '#features/instancetype/index.ts'
import { connectChosenCluster, type ChosenCluster, type ClusterFlags } from '#cli/cluster/connect.ts'
import { CommandError, type CliContext } from '#cli/context.ts'
import { readManifests } from '#cli/arguments/manifests.ts'
import { parseVmKey } from '#cli/arguments/targets.ts'
import { getVm, readClusterConfig } from '#cli/cluster/read.ts'

interface Flags extends ClusterFlags {
  readonly vm?: string
  readonly file?: string
  readonly namespace?: string
  readonly output: 'yaml' | 'json'
}

/**
 * Prints a VM with all values of its instance type, preference and cluster defaults inlined, and
 * the matchers removed.
 */
export async function expand(this: CliContext, flags: Flags, target?: string): Promise<void> {
  if (target !== undefined && flags.vm !== undefined) throw new CommandError('Name the VM once: either as the argument or with --vm')
  using cluster = await connectChosenCluster(this, flags)
  const [wanted, config] = await Promise.all([
    vmOf(this, cluster, target === undefined ? flags : { ...flags, vm: target }),
    readClusterConfig(this, cluster.client),
  ])
  // A manifest has not been through admission, which infers matchers.
  const { vm } = await inferMatchers({ client: cluster.client }, wanted)
  const { instancetype, preference } = await findMatchedObjects({ client: cluster.client }, vm)
  const result = expandVirtualMachine(vm, instancetype?.object, preference?.object, config)
  if (result.conflicts !== undefined) throw new CommandError(describeConflicts(result.conflicts))
  // A VM without matchers is printed unchanged.
  const { metadata, ...expanded } = instancetype === undefined && preference === undefined ? vm : result.vm
  const { managedFields: _, ...shown } = metadata
  const document = { apiVersion: expanded.apiVersion, kind: expanded.kind, metadata: shown, ...expanded }
  this.process.stdout.write(flags.output === 'json' ? `${JSON.stringify(document, null, 2)}\n` : toYaml(document))
}

async function vmOf(context: CliContext, cluster: ChosenCluster, { vm, file, namespace }: Flags): Promise<VirtualMachine> {
  const wanted = namespace ?? cluster.namespace
  if ((vm === undefined) === (file === undefined)) throw new CommandError('Name what to expand: either a VM or --file FILE')
  if (vm !== undefined) return getVm(cluster.client, parseVmKey(vm, wanted))
  const [manifest, ...others] = await readManifests(context, [file ?? '-'])
  if (manifest?.kind !== 'VirtualMachine' || others.length > 0)
    throw new CommandError(`"${file}" must hold one VirtualMachine and nothing else`)
  return { ...manifest, metadata: { ...manifest.metadata, namespace: manifest.metadata.namespace ?? wanted } } as unknown as VirtualMachine
}
