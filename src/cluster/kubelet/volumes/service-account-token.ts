import { serviceAccounts } from '#api/core/v1/resources.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { Client } from '#client/client.ts'
import type { Clock } from '#runtime/clock.ts'

/** What a pod wants a token for. */
export interface TokenRequirements {
  /** Default: the API server. */
  readonly audience: string | undefined
  readonly expirationSeconds: number
}

/** Where pods get the tokens of their service account from. */
export interface TokenSource {
  /**
   * A token that still has a good part of its life before it; the same one as long as that is so.
   */
  token(pod: Pod, wish: TokenRequirements): Promise<string>
}

interface Held {
  readonly token: string
  readonly renewAt: number
}

interface TokenRequest extends KubeObject {
  readonly status?: { readonly token?: string; readonly expirationTimestamp?: string }
}

/** A token is renewed after this part of its life, and after a day whatever its life. */
const renewAfter = 0.8
const longestMs = 24 * 3_600_000

/**
 * Asks the API for tokens that die with their pod. Keeps them in memory: a new kubelet asks for new
 * ones.
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
      const life = Math.min((Date.parse(expirationTimestamp) - now) * renewAfter, longestMs)
      held.set(key, { token, renewAt: now + (Number.isNaN(life) ? 0 : life) })
      return token
    },
  }
}
