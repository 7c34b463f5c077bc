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
import { createUnfilteredPods } from './pods/unfiltered-pods.ts'
import { createServiceAccountAdmission } from './pods/service-account.ts'
import { createServiceAddress } from './service-address/service-address.ts'
import { storageObjectInUseProtection } from './volumes/storage-object-in-use-protection.ts'
import { taintNodesByCondition } from './nodes/taint-nodes-by-condition.ts'

/** Dependencies of the plugins. */
export interface BuiltInPluginsOptions {
  readonly store: ObjectStore
  readonly now: () => number
  /** Returns numbers in [0, 1). */
  readonly random: () => number
  /**
   * True if cluster controllers run against this server. Some plugins need them: a controller
   * creates default service accounts, or removes the finalizers that a plugin adds.
   */
  readonly hasControllers: boolean
  /** True if a controller filters the traffic of guests by NetworkPolicies. */
  readonly hasPodNetwork: boolean
}

/** Creates the server's own plugins in kube-apiserver's order. Webhooks run after them. */
export function builtInPlugins(options: BuiltInPluginsOptions): readonly AdmissionPlugin[] {
  const { store, hasControllers, hasPodNetwork } = options
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
    createUnfilteredPods(store, hasPodNetwork),
  ]
}

/**
 * Creates the plugins that run after webhooks: quota must count only what everything else has
 * admitted.
 */
export function finalPlugins({ store, now }: Pick<BuiltInPluginsOptions, 'store' | 'now'>): readonly AdmissionPlugin[] {
  return [createResourceQuotaAdmission({ store, now })]
}
