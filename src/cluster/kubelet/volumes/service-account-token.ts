import { serviceAccounts } from '#api/core/v1/resources.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { Client } from '#client/client.ts'
import type { Clock } from '#runtime/clock/clock.ts'

/** Requirements of a projected token. */
export interface TokenRequirements {
  /** Default: the API server. */
  readonly audience: string | undefined
  readonly expirationSeconds: number
}

/** Issues tokens of the pods' service accounts. */
export interface TokenSource {
  /** A token with at least a fifth of its life left; cached until then. */
  token(pod: Pod, requirements: TokenRequirements): Promise<string>
}

interface Held {
  readonly token: string
  readonly renewAt: number
}

interface TokenRequest extends KubeObject {
  readonly status?: { readonly token?: string; readonly expirationTimestamp?: string }
}

/** Part of its life after which a token is renewed; a day at most. */
const renewAfter = 0.8
const longestMs = 24 * 3_600_000

/**
 * Requests tokens that are bound to their pod. Caches them in memory: a restarted kubelet requests
 * new ones.
 */
export function createTokenSource(client: Client, clock: Clock): TokenSource {
  const held = new Map<string, Held>()
  return {
    async token(pod, { audience, expirationSeconds }) {
      const { namespace = '', name = '', uid = '' } = pod.metadata
      const key = JSON.stringify([uid, audience, expirationSeconds])
      const known = held.get(key)
      const now = clock.now()
      if (known !== undefined && now < known.renewAt) return known.token
      for (const [old, { renewAt }] of held) if (renewAt + longestMs < now) held.delete(old)
      const request = {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        metadata: { name: pod.spec.serviceAccountName ?? 'default', namespace },
        spec: {
          audiences: audience === undefined ? [] : [audience],
          expirationSeconds,
          boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name, uid },
        },
      }
      const { status } = await client.create<KubeObject, TokenRequest>(serviceAccounts, request, { subresource: 'token' })
      const { token = '', expirationTimestamp = '' } = status ?? {}
      const lifetimeMs = Math.min((Date.parse(expirationTimestamp) - now) * renewAfter, longestMs)
      held.set(key, { token, renewAt: now + (Number.isNaN(lifetimeMs) ? 0 : lifetimeMs) })
      return token
    },
  }
}
