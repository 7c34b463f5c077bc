import type { TokenRequest } from '#api/authentication/v1/token-review.ts'
import { secrets, serviceAccounts } from '#api/core/v1/resources.ts'
import type { Secret } from '#api/core/v1/secret.ts'
import type { ServiceAccount } from '#api/core/v1/service-account.ts'
import { isConflict, isNotFound } from '#apimachinery/errors.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { keyOf } from '#apimachinery/meta/resource-type.ts'
import { found } from '#client/found.ts'
import { createController } from '#runtime/controller/controller.ts'
import { done, type Reconciler, type Request } from '#runtime/controller/reconcile.ts'
import { enqueueSelf, watchResource } from '#runtime/controller/source.ts'
import type { Runnable } from '#runtime/manager/runnable.ts'
import type { ServiceAccountControllerOptions } from './service-account-controller.ts'

/**
 * Secrets of this type hold a token of the account that they name: the way from before
 * TokenRequest, which many charts still go.
 */
const tokenSecretType = 'kubernetes.io/service-account-token'
const nameAnnotation = 'kubernetes.io/service-account.name'
const uidAnnotation = 'kubernetes.io/service-account.uid'
/** The longest lifetime that a token can have; it ends with its secret. */
const lifetimeSeconds = 2 ** 32

/** Step of a token secret. */
export type TokenSecretStep = { readonly kind: 'none' } | { readonly kind: 'delete' } | { readonly kind: 'fill'; readonly account: string }

/** Decides about a token secret. `account` is the one that it names. Pure. */
export function decideTokenSecret(
  secret: Secret,
  account: ServiceAccount | undefined,
  root: { readonly ca: string; readonly namespace: string },
): TokenSecretStep {
  const name = secret.metadata.annotations?.[nameAnnotation] ?? ''
  if (isBeingDeleted(secret) || name === '') return { kind: 'none' }
  const uid = secret.metadata.annotations?.[uidAnnotation]
  // Its token is worth nothing once the account has gone, and must not come to life for another one
  // of that name.
  if (account === undefined || (uid !== undefined && uid !== account.metadata.uid)) return { kind: 'delete' }
  const { data = {} } = secret
  const isFull =
    uid !== undefined && (data['token'] ?? '') !== '' && data['ca.crt'] === encode(root.ca) && data['namespace'] === encode(root.namespace)
  return isFull ? { kind: 'none' } : { kind: 'fill', account: name }
}

function encode(text: string): string {
  return Buffer.from(text).toString('base64')
}

/** Fills token secrets, and deletes those of accounts that have gone. */
export function createTokenSecretController({
  client,
  informers,
  clock,
  log,
  clusterCa = () => '',
}: ServiceAccountControllerOptions): Runnable {
  const secretCache = informers.informer(secrets, { fieldSelector: `type=${tokenSecretType}` })
  const accountCache = informers.informer(serviceAccounts)

  /**
   * Reads through to the API: the cache may not have an account that was created before the secret.
   */
  const findAccount = async (namespace: string, name: string, signal: AbortSignal): Promise<ServiceAccount | undefined> =>
    accountCache.get(namespace, name) ?? found(client.get(serviceAccounts, { namespace, name }, { signal }))
  const makeToken = async (secret: Secret, account: string, signal: AbortSignal): Promise<string> => {
    const { namespace = '', name = '', uid = '' } = secret.metadata
    const wanted: KubeObject & Partial<TokenRequest> = {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      metadata: { namespace, name: account },
      spec: { expirationSeconds: lifetimeSeconds, boundObjectRef: { apiVersion: 'v1', kind: 'Secret', name, uid } },
    }
    const made = await client.create<ServiceAccount, TokenRequest>(serviceAccounts, wanted, { subresource: 'token', signal })
    return made.status?.token ?? ''
  }

  const reconciler: Reconciler = async (key, { signal }) => {
    const secret = secretCache.get(key.namespace, key.name)
    if (secret === undefined) return done
    const { namespace = '', uid = '', resourceVersion = '', annotations } = secret.metadata
    const account = await findAccount(namespace, annotations?.[nameAnnotation] ?? '', signal)
    const step = decideTokenSecret(secret, account, { ca: clusterCa(), namespace })
    try {
      if (step.kind === 'delete') await client.delete(secrets, key, { preconditions: { uid, resourceVersion }, signal })
      if (step.kind === 'fill') {
        const present = secret.data?.['token'] ?? ''
        const token = present === '' ? encode(await makeToken(secret, step.account, signal)) : present
        const data = { token, 'ca.crt': encode(clusterCa()), namespace: encode(namespace) }
        const metadata = { uid, resourceVersion, annotations: { [uidAnnotation]: account?.metadata.uid ?? '' } }
        await client.patch(secrets, key, { type: 'merge', body: { metadata, data } }, { signal })
      }
    } catch (error) {
      // A concurrent write: the watch delivers it.
      if (!isConflict(error) && !isNotFound(error)) throw error
    }
    return done
  }
  const ofAccount = ({ metadata }: KubeObject): readonly Request[] =>
    secretCache
      .list(metadata?.namespace)
      .filter((secret) => secret.metadata.annotations?.[nameAnnotation] === metadata?.name)
      .map(keyOf)
  const sources = [watchResource(secretCache, enqueueSelf), watchResource(accountCache, ofAccount)]
  return createController({ name: 'serviceaccount-token', reconciler, sources, clock, log })
}
