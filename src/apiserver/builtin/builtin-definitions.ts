import type { ResourceDefinition } from '#apiserver/registry/resource-definition.ts'
import { admissionregistrationDefinitions } from './admissionregistration/admissionregistration.ts'
import { apiextensionsDefinitions } from './apiextensions.ts'
import { apiregistrationDefinitions } from './apiregistration.ts'
import { appsDefinitions } from './workloads/apps.ts'
import { autoscalingDefinitions } from './autoscaling/autoscaling.ts'
import { batchDefinitions } from './workloads/batch.ts'
import { certificatesDefinitions } from './certificates.ts'
import { coordinationDefinitions } from './coordination.ts'
import { coreDefinitions } from './core/core.ts'
import { discoveryDefinitions } from './discovery.ts'
import { eventsDefinitions } from './events/events.ts'
import { flowcontrolDefinitions } from './flowcontrol.ts'
import { networkingDefinitions } from './networking/networking.ts'
import { nodeGroupDefinitions } from './node.ts'
import { policyDefinitions } from './policy/policy.ts'
import { rbacDefinitions } from './rbac/rbac.ts'
import { schedulingDefinitions } from './scheduling.ts'
import { storageDefinitions } from './storage/storage.ts'

/**
 * Returns the definitions of all built-in kinds: the entry point of this package, which holds their
 * schemas, defaults, validation and columns by API group. Custom resources are in `extensions`.
 */
export function builtinDefinitions(): ResourceDefinition[] {
  return [
    ...coreDefinitions(),
    ...appsDefinitions(),
    ...batchDefinitions(),
    ...coordinationDefinitions(),
    ...rbacDefinitions(),
    ...apiextensionsDefinitions(),
    ...apiregistrationDefinitions(),
    ...admissionregistrationDefinitions(),
    ...policyDefinitions(),
    ...storageDefinitions(),
    ...schedulingDefinitions(),
    ...discoveryDefinitions(),
    ...eventsDefinitions(),
    ...networkingDefinitions(),
    ...autoscalingDefinitions(),
    ...nodeGroupDefinitions(),
    ...certificatesDefinitions(),
    ...flowcontrolDefinitions(),
  ]
}
