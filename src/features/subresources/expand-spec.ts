import type { VirtualMachine } from '#api/kubevirt/v1/virtual-machine.ts'
import { badRequest, internalError, messageOf, StatusError } from '#apimachinery/errors.ts'
import { type Client, TransportError } from '#client/client.ts'
import type { ClusterConfig } from '#features/cluster-config/index.ts'
import {
  describeConflicts,
  expandVirtualMachine,
  findInstancetype,
  findPreference,
  inferMatchers,
  validateMatchers,
} from '#features/instancetype/index.ts'
import type { AggregatedHandler } from '#runtime/aggregated/aggregated-group.ts'
import { parseVirtualMachine } from './parse-body.ts'
import { getMachine } from './virtual-machine-subject.ts'

/** Dependencies of the expand subresources. */
export interface ExpandOptions {
  readonly client: Pick<Client, 'get'>
  /** Returns the current configuration, which follows the KubeVirt object. */
  readonly config: () => ClusterConfig
}

/**
 * Handles `GET virtualmachines/<name>/expand-spec`: returns a stored VM with its instance type and
 * preference expanded.
 */
export function expandStored(options: ExpandOptions): AggregatedHandler {
  return async ({ namespace, name, signal }) => {
    const vm = await getMachine(options.client, namespace, name, signal)
    try {
      return { code: 200, body: await expandWithStored(options, vm) }
    } catch (error) {
      throw internalError(messageOf(error), error)
    }
  }
}

/** Handles `PUT expand-vm-spec`: the same for the VM in the request body. */
export function expandSent(options: ExpandOptions): AggregatedHandler {
  return async ({ namespace, body }) => {
    const vm = parseVirtualMachine(body, namespace)
    // Matchers that admission would refuse cannot be expanded.
    const causes = validateMatchers(vm, undefined)
    if (causes.length > 0) throw badRequest(causes.map(({ message }) => message).join(', '))
    try {
      return { code: 200, body: await expandWithStored(options, vm) }
    } catch (error) {
      // A failed lookup is no mistake of the client.
      if (error instanceof TransportError || (error instanceof StatusError && error.code >= 500))
        throw internalError(messageOf(error), error)
      throw badRequest(messageOf(error))
    }
  }
}

/** Returns a VM without matchers unchanged, without defaults. */
async function expandWithStored({ client, config }: ExpandOptions, sent: VirtualMachine): Promise<VirtualMachine> {
  const typed = { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', ...sent }
  if (sent.spec.instancetype === undefined && sent.spec.preference === undefined) return typed
  const lookup = { client }
  const { vm } = await inferMatchers(lookup, typed)
  const [instancetype, preference] = [await findInstancetype(lookup, vm), await findPreference(lookup, vm)]
  const expanded = expandVirtualMachine(vm, instancetype?.object, preference?.object, config())
  if (expanded.conflicts !== undefined) throw badRequest(describeConflicts(expanded.conflicts))
  return expanded.vm
}
