import type { ObjectStore } from '#apiserver/storage/object-store.ts'
import { certificateRequester } from './access/certificate-requester.ts'
import type { AdmissionPlugin } from './chain.ts'
import { createDefaultStorageClass } from './volumes/default-storage-class.ts'
import { defaultTolerationSeconds } from './pods/default-toleration-seconds.ts'
import { createLimitRanger } from './namespaces/limit-ranger.ts'
import { createNamespaceLifecycle } from './namespaces/namespace-lifecycle.ts'
import { createNodeRestriction } from './nodes/node-restriction.ts'
import { createClaimResize } from './volumes/persistent-volume-claim-resize.ts'
import { createPodSecurity } from './pod-security/pod-security.ts'
import { createPriority } from './pods/priority.ts'
import { createResourceQuotaAdmission } from './namespaces/resource-quota.ts'
import { createRuntimeClassAdmission } from './pods/runtime-class.ts'
import { createServiceAccountAdmission } from './pods/service-account.ts'
import { createServiceAddress } from './service-address/service-address.ts'
import { storageObjectInUseProtection } from './volumes/storage-object-in-use-protection.ts'
import { taintNodesByCondition } from './nodes/taint-nodes-by-condition.ts'

/** What the plugins need. */
export interface BuiltInPluginsOptions {
  readonly store: ObjectStore
  readonly now: () => number
  /** Yields numbers in [0, 1). */
  readonly random: () => number
  /**
   * Whether the controllers of a cluster work against this server. Some plugins count on them: they
   * ask for accounts that a controller makes, or add finalizers that one takes off.
   */
  readonly hasControllers: boolean
}

/** The plugins of the server itself, in kube-apiserver's order. Webhooks come after them. */
export function builtInPlugins(options: BuiltInPluginsOptions): readonly AdmissionPlugin[] {
  const { store, hasControllers } = options
  return [
    createNamespaceLifecycle(store),
    createLimitRanger(store),
    ...(hasControllers ? [createServiceAccountAdmission(options), taintNodesByCondition] : []),
    createNodeRestriction(store),
    createPodSecurity(store),
    createPriority(store),
    certificateRequester,
    defaultTolerationSeconds,
    createDefaultStorageClass(store),
    ...(hasControllers ? [storageObjectInUseProtection] : []),
    createClaimResize(store),
    createRuntimeClassAdmission(store),
    createServiceAddress(options),
  ]
}

/** The plugins that must be asked last, after webhooks: they count what nobody else has refused. */
export function finalPlugins({ store, now }: Pick<BuiltInPluginsOptions, 'store' | 'now'>): readonly AdmissionPlugin[] {
  return [createResourceQuotaAdmission({ store, now })]
}
