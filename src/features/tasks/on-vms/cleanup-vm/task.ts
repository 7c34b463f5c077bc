import { messageOf } from '#apimachinery/errors.ts'
import { humanDuration } from '#apimachinery/age.ts'
import { badInput, exitCodes, TaskFailed } from '../../exit-codes.ts'
import { namespaceOf, objectName } from '../../objects/object-names.ts'
import type { TaskContext, TaskDefinition } from '../../task.ts'
import { readConnectionSecret } from '../guest/connection-secret.ts'
import { execute } from '../guest/execute.ts'
import { connectionVolume, guestRules, scriptParameters, vmParameters } from '../guest/guest-parameters.ts'
import { scriptOf } from '../guest/script.ts'
import { requestDeletion, requestStop, untilDeleted, untilStopped, type VmKey } from '../guest/vm-power.ts'

/** Milliseconds for the requests of a clean-up: a pod that must end has 30 s. */
const requestsMs = 20_000

/** Runs a command in a guest, and then stops or deletes its VM whatever happened. */
export const cleanupVm: TaskDefinition = {
  name: 'cleanup-vm',
  description:
    'Stops or deletes a VM, on request after a command or a script in its guest. The VM is stopped or deleted also when the script fails, takes too long or cannot begin.',
  parameters: [
    ...vmParameters,
    { name: 'stop', type: 'string', default: 'true', description: '"true" or "false": stop the VM' },
    { name: 'delete', type: 'string', default: 'false', description: '"true" or "false": delete the VM' },
    {
      name: 'timeout',
      type: 'string',
      default: '30m',
      description: 'How long the script may take, with the start of the VM, such as 3h2m1s. Then the VM is stopped or deleted',
    },
    ...scriptParameters,
  ],
  results: [],
  volumes: [connectionVolume],
  rules: [
    ...guestRules,
    { apiGroups: ['kubevirt.io'], resources: ['virtualmachines'], verbs: ['delete'] },
    { apiGroups: ['subresources.kubevirt.io'], resources: ['virtualmachines/stop'], verbs: ['update'] },
  ],
  async run(context) {
    const { parameters } = context
    const key = { namespace: namespaceOf(context, 'vmNamespace'), name: objectName(parameters, 'vmName') }
    const wanted: CleanUp = { stops: parameters.isTrue('stop'), deletes: parameters.isTrue('delete') }
    const script = scriptOf(parameters)
    const [limitMs, startLimitMs] = [parameters.milliseconds('timeout'), parameters.milliseconds('startTimeout')]
    if (script === '' && !wanted.stops && !wanted.deletes)
      throw badInput('There is nothing to do: give the parameter command or script, or set stop or delete to "true"')
    if (script !== '') await scriptThenAlways(context, () => runScript(context, key, script, { limitMs, startLimitMs }), key, wanted)
    await cleanUp(context, key, wanted)
    return {}
  },
}

interface CleanUp {
  readonly stops: boolean
  readonly deletes: boolean
}

/** Cleans up when the script fails, and throws its error then. */
async function scriptThenAlways(context: TaskContext, runs: () => Promise<void>, key: VmKey, wanted: CleanUp): Promise<void> {
  try {
    await runs()
  } catch (error) {
    if (wanted.stops || wanted.deletes) context.log(`Cleaning up after a failure: ${messageOf(error)}`)
    await cleanUp(context, key, wanted).catch((left: unknown) => context.log(`The clean-up failed, too: ${messageOf(left)}`))
    throw error
  }
}

async function runScript(
  context: TaskContext,
  key: VmKey,
  script: string,
  { limitMs, startLimitMs }: { readonly limitMs: number; readonly startLimitMs: number },
): Promise<void> {
  // Before the guest starts.
  const connection = await readConnectionSecret(context)
  const limit = new AbortController()
  using _limit = context.clock.after(limitMs, () =>
    limit.abort(new TaskFailed(exitCodes.waitFailed, `the script is not done within ${humanDuration(limitMs)}`)),
  )
  const limited = { ...context, signal: AbortSignal.any([context.signal, limit.signal]) }
  await execute(limited, { key, connection, script, startLimitMs: Math.min(limitMs, startLimitMs) })
}

/**
 * Makes all requests first: a program that must end has still made them, and waits for nothing.
 * The deletion of a VM ends its guest, too.
 */
async function cleanUp(context: TaskContext, key: VmKey, { stops, deletes }: CleanUp): Promise<void> {
  const requests = { ...context, signal: AbortSignal.timeout(requestsMs) }
  try {
    if (stops) await requestStop(requests, key)
  } finally {
    if (deletes) await requestDeletion(requests, key)
  }
  if (context.signal.aborted) return
  if (stops) await untilStopped(context, key)
  if (deletes) await untilDeleted(context, key)
}
