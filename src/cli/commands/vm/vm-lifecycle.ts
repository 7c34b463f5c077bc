import { virtualMachineSubresources } from '#api/kubevirt/v1/subresources.ts'
import { parseVmKey } from '#cli/arguments/targets.ts'
import { connectChosenCluster, type ClusterFlags } from '#cli/cluster/connect.ts'
import { CommandError, type CliContext } from '#cli/context.ts'

interface Flags extends ClusterFlags {
  readonly namespace?: string
  readonly dryRun: boolean
}

interface StopFlags extends Flags {
  readonly force: boolean
  readonly gracePeriod?: number
}

/** Starts a VM. */
export async function start(this: CliContext, flags: Flags & { readonly paused: boolean }, target: string): Promise<void> {
  await request(this, flags, { target, action: 'start', options: flags.paused ? { paused: true } : {} })
}

/** Stops a VM. With `--force` its guest gets `--grace-period` seconds. */
export async function stop(this: CliContext, flags: StopFlags, target: string): Promise<void> {
  const gracePeriod = forcedGracePeriod(flags)
  await request(this, flags, { target, action: 'stop', options: gracePeriod === undefined ? {} : { gracePeriod } })
}

/** Stops a VM and starts it again. */
export async function restart(this: CliContext, flags: StopFlags, target: string): Promise<void> {
  const gracePeriodSeconds = forcedGracePeriod(flags)
  await request(this, flags, { target, action: 'restart', options: gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds } })
}

/** Migrates the guest of a VM to another node. */
export async function migrate(this: CliContext, flags: Flags, target: string): Promise<void> {
  await request(this, flags, { target, action: 'migrate', options: {} })
}

/** virtctl's rule: each of the two flags needs the other. @throws CommandError */
function forcedGracePeriod({ force, gracePeriod }: StopFlags): number | undefined {
  if (force !== (gracePeriod !== undefined)) {
    throw new CommandError('Must both use --force=true and set --grace-period')
  }
  if (gracePeriod !== undefined && !(Number.isInteger(gracePeriod) && gracePeriod >= 0)) {
    throw new CommandError(`--grace-period must be a whole number of seconds of at least 0: current value is ${gracePeriod}`)
  }
  return gracePeriod
}

interface Action {
  readonly target: string
  readonly action: 'start' | 'stop' | 'restart' | 'migrate'
  readonly options: object
}

async function request(context: CliContext, flags: Flags, { target, action, options }: Action): Promise<void> {
  using cluster = await connectChosenCluster(context, flags)
  const key = parseVmKey(target, flags.namespace ?? cluster.namespace)
  const { stdout } = context.process
  if (flags.dryRun) stdout.write('Dry Run execution\n')
  const body = { ...options, ...(flags.dryRun ? { dryRun: ['All'] } : {}), metadata: key }
  await cluster.client.update(virtualMachineSubresources, body, { subresource: action })
  stdout.write(`VM ${key.name} was scheduled to ${action}\n`)
}
