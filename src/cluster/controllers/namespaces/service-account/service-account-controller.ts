import { isAlreadyExists, isNotFound } from '#apimachinery/errors.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { ResourceType } from '#apimachinery/meta/resource-type.ts'
import { configMaps, namespaces, serviceAccounts } from '#api/core/v1/resources.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import { createController } from '#runtime/controller/controller.ts'
import { done, type Reconciler, type Request } from '#runtime/controller/reconcile.ts'
import { watchResource } from '#runtime/controller/source.ts'
import type { Runnable } from '#runtime/manager/runnable.ts'
import type { ControllerOptions } from '#cluster/controllers/controller-options.ts'
import { isNamespaceTerminating } from '../namespace-terminating.ts'

/** Dependencies of the service account controller. */
export interface ServiceAccountControllerOptions extends ControllerOptions {
  /**
   * PEM of the authorities that sign the API server's certificate, read each time. Without it,
   * `kube-root-ca.crt` is not created.
   */
  readonly clusterCa?: () => string
}

const accountName = 'default'
const caName = 'kube-root-ca.crt'

/**
 * Creates the default service account and the ConfigMap with the cluster's CA in every namespace.
 */
export function createServiceAccountController(options: ServiceAccountControllerOptions): Runnable {
  const { client, informers, clock, log, clusterCa } = options
  const namespaceCache = informers.informer(namespaces)
  const accountCache = informers.informer(serviceAccounts, { fieldSelector: `metadata.name=${accountName}` })
  const caCache = informers.informer(configMaps, { fieldSelector: `metadata.name=${caName}` })

  const reconciler: Reconciler = async ({ name: namespace }, { signal }) => {
    const found = namespaceCache.get('', namespace)
    if (found === undefined || isBeingDeleted(found)) return done
    if (accountCache.get(namespace, accountName) === undefined) {
      await createIfPossible(options, serviceAccounts, { metadata: { namespace, name: accountName } }, signal)
    }
    if (clusterCa === undefined) return done
    const ca = caCache.get(namespace, caName)
    const wanted = clusterCa()
    const data = { 'ca.crt': wanted }
    if (ca === undefined) await createIfPossible(options, configMaps, { metadata: { namespace, name: caName }, data } as KubeObject, signal)
    else if (ca.data?.['ca.crt'] !== wanted) {
      await client.patch(configMaps, { namespace, name: caName }, { type: 'merge', body: { data } }, { signal })
    }
    return done
  }
  const inNamespace = ({ metadata }: KubeObject): readonly Request[] => [{ namespace: '', name: metadata?.namespace ?? '' }]
  const sources = [
    watchResource(namespaceCache, ({ metadata }) => [{ namespace: '', name: metadata.name ?? '' }]),
    watchResource(accountCache, inNamespace),
    ...(clusterCa === undefined ? [] : [watchResource(caCache, inNamespace)]),
  ]
  return createController({ name: 'serviceaccount', reconciler, sources, clock, log })
}

/** Tolerates an object that exists already and a namespace that is terminating. */
async function createIfPossible<T extends KubeObject>(
  { client }: ControllerOptions,
  resource: ResourceType<T>,
  object: KubeObject,
  signal: AbortSignal,
): Promise<void> {
  try {
    await client.create(resource, object, { signal })
  } catch (error) {
    if (!isAlreadyExists(error) && !isNotFound(error) && !isNamespaceTerminating(error)) throw error
  }
}
