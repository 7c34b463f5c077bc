import { readFile } from 'node:fs/promises'
import { dataSources } from '#api/cdi/v1beta1/resources.ts'
import { virtualMachines } from '#api/kubevirt/v1/resources.ts'
import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { toYaml } from '#apimachinery/json/yaml.ts'
import { isQuantity } from '#apimachinery/quantity.ts'
import { found } from '#client/found.ts'
import { findInstancetype, findPreference, instancetypeKindOf, preferenceKindOf } from '#features/instancetype/index.ts'
import { connectChosenCluster, type ChosenCluster } from '#cli/cluster/connect.ts'
import { CommandError, EXIT, type CliContext } from '#cli/context.ts'
import { followDataVolume, describeProgress } from '#cli/images/follow-import.ts'
import { parseDiskOrigin, type DiskOrigin } from '#cli/images/image-source.ts'
import { findUploadServer, uploadFile } from '#cli/images/upload-file.ts'
import { parseSshKey, rootVolumeName, vmManifest, type VmWish } from '#cli/images/vm-manifest.ts'
import { print, vmResourceName, type OutputFormat } from '#cli/render/print.ts'
import { progressOn } from '#cli/render/progress.ts'
import { dataVolumes } from '#api/cdi/v1beta1/resources.ts'
import { prepareSource, takesUpload, type ImportFlags, type PreparedSource } from '../images/import.ts'

interface Flags extends ImportFlags {
  readonly image: string
  readonly type?: string
  readonly preference?: string
  readonly memory?: string
  readonly sshKey?: string
  readonly user?: string
  readonly output: OutputFormat
}

/** Creates a VM from an image, and waits until its guest runs; or prints the VM. */
export async function create(this: CliContext, flags: Flags, name: string): Promise<void> {
  const { memory, size, sshKey } = flags
  const origin = parseDiskOrigin(flags.image)
  if (memory !== undefined && !isQuantity(memory)) throw new CommandError(`--memory must be a quantity such as 1Gi, and is "${memory}"`)
  const key = sshKey === undefined ? undefined : parseSshKey(await readKey(sshKey), sshKey)
  const prepared = await prepare(this, origin, size)
  using cluster = await connectChosenCluster(this, flags)
  const namespace = flags.namespace ?? cluster.namespace
  const vm = vmManifest({
    namespace,
    name,
    origin,
    imageLabels: await labelsOf(cluster, origin, namespace),
    ...optional('instancetype', flags.type),
    ...optional('preference', flags.preference),
    ...optional('memory', memory),
    ...optional('size', prepared?.size),
    ...optional('storageClass', flags.storageClass),
    ...optional('sshKey', key),
    ...optional('user', flags.user),
  })
  await requireHardware(cluster, vm)
  const printsOnly = flags.output === 'yaml' || flags.output === 'json'
  if (flags.dryRun) await submit(cluster, vm, true)
  if (flags.dryRun || printsOnly) {
    if (prepared?.image !== undefined)
      this.process.stderr.write(`note: without this command, upload ${prepared.image.path} to the DataVolume yourself\n`)
    this.process.stdout.write(flags.output === 'json' ? `${JSON.stringify(vm, null, 2)}\n` : toYaml(vm))
    return
  }
  await submit(cluster, vm, false)
  const deadline = this.now() + flags.timeout * 1000
  if (prepared?.image !== undefined) await upload(this, cluster, { vm, prepared, flags, deadline })
  const started = flags.wait ? await waitUntilRunning(this, cluster, vm, deadline) : vm
  print(this, flags.output, {
    kind: 'VirtualMachineCreation',
    document: {},
    names: [vmResourceName(name)],
    text: (isWide) =>
      `${vmResourceName(name)} ${flags.wait ? 'runs' : 'created'}${isWide ? ` (${started.status?.printableStatus ?? 'Provisioning'})` : ''}\n`,
  })
}

function optional<K extends keyof VmWish>(field: K, value: VmWish[K] | undefined): Partial<Pick<VmWish, K>> {
  return value === undefined ? {} : ({ [field]: value } as Partial<Pick<VmWish, K>>)
}

/** @throws CommandError */
async function readKey(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    throw new CommandError(`The SSH key cannot be read: ${error instanceof Error ? error.message : String(error)}`, undefined, {
      cause: error,
    })
  }
}

/** Undefined for a copy without a size, which gets that of its image. */
async function prepare(context: CliContext, origin: DiskOrigin, size: string | undefined): Promise<PreparedSource | undefined> {
  if (origin.kind !== 'dataSource') return prepareSource(context, origin, { size, checksum: undefined })
  if (size !== undefined && !isQuantity(size)) throw new CommandError(`--size must be a quantity such as 10Gi, and is "${size}"`)
  return size === undefined ? undefined : { size }
}

/** Labels by which a VM infers its hardware. @throws StatusError when the DataSource is missing */
async function labelsOf({ client }: ChosenCluster, origin: DiskOrigin, namespace: string): Promise<Readonly<Record<string, string>>> {
  if (origin.kind !== 'dataSource') return {}
  const { metadata } = await client.get(dataSources, { namespace: origin.namespace ?? namespace, name: origin.name })
  return metadata.labels ?? {}
}

/**
 * The server admits a VM whose instance type or preference may be created later, and such a VM does
 * not start: what a command names is there. @throws CommandError
 */
async function requireHardware({ client }: ChosenCluster, vm: VirtualMachine): Promise<void> {
  const { instancetype, preference } = vm.spec
  if (instancetype?.name !== undefined && (await found(findInstancetype({ client }, vm))) === undefined)
    throw noHardware('--type', instancetypeKindOf(instancetype), instancetype.name)
  if (preference?.name !== undefined && (await found(findPreference({ client }, vm))) === undefined)
    throw noHardware('--preference', preferenceKindOf(preference), preference.name)
}

function noHardware(flag: string, kind: string, name: string): CommandError {
  return new CommandError(`There is no ${kind} "${name}" for ${flag}: "kubectl get ${kind.toLowerCase()}" lists those that there are`)
}

async function submit({ client }: ChosenCluster, vm: VirtualMachine, dryRun: boolean): Promise<void> {
  await client.create(virtualMachines, vm, { dryRun, fieldManager: 'steadyvm-vm', fieldValidation: 'Strict' })
}

interface DiskUpload {
  readonly vm: VirtualMachine
  readonly prepared: PreparedSource
  readonly flags: Flags
  readonly deadline: number
}

async function upload(context: CliContext, { client }: ChosenCluster, { vm, prepared, flags, deadline }: DiskUpload): Promise<void> {
  const { image } = prepared
  if (image === undefined) return
  const { namespace = '', name = '' } = vm.metadata
  const key = { namespace, name: rootVolumeName(name) }
  const server = await findUploadServer(client, flags)
  const remedy = `"kubectl delete vm ${name} -n ${namespace}" removes it with its disk`
  const meanwhile = `the VM "${namespace}/${name}" waits for its disk; ${remedy}`
  await followDataVolume(context, { client, key, deadline, holds: takesUpload, mayComeLater: true, remedy, meanwhile })
  await uploadFile(context, { client, server, key, image })
}

const pollMs = 300

/** States that need the user, with what else is known in conditions. */
const failures: readonly string[] = ['DataVolumeError', 'CrashLoopBackOff', 'ErrorPvcNotFound']

/** @throws CommandError */
async function waitUntilRunning(
  context: CliContext,
  { client }: ChosenCluster,
  vm: VirtualMachine,
  deadline: number,
): Promise<VirtualMachine> {
  const { namespace = '', name = '' } = vm.metadata
  const disk = { namespace, name: rootVolumeName(name) }
  using progress = progressOn(context)
  for (;;) {
    const [current, dataVolume] = await Promise.all([
      client.get(virtualMachines, { namespace, name }),
      found(client.get(dataVolumes, disk)),
    ])
    const { printableStatus: state = 'Provisioning', ready = false, conditions = [] } = current.status ?? {}
    if (ready) return current
    const why = conditions.find(
      ({ type, status, message = '' }) => (type === 'Failure' ? status === 'True' : type === 'Ready') && message !== '',
    )?.message
    const said = `${state}${why === undefined ? '' : `: ${why}`}`
    if (failures.includes(state)) throw new CommandError(`VM "${namespace}/${name}" does not start: ${said}`)
    progress.show(dataVolume?.status?.phase === 'Succeeded' ? `${name}: ${state}` : describeProgress(disk.name, dataVolume))
    if (context.signal.aborted)
      throw new CommandError(`Interrupted at ${state}: the VM "${namespace}/${name}" goes on without this command`)
    if (context.now() >= deadline)
      throw new CommandError(`Timed out at ${said}; the VM "${namespace}/${name}" goes on without this command`, EXIT.timeout)
    await context.sleep(pollMs)
  }
}
