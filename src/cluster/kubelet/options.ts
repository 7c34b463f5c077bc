import type { RegistryLogin } from './images/pull-secrets.ts'

/** Program of an image on this machine. */
export interface ResolvedImage {
  /** Working directory of its containers, unless they name their own. */
  readonly rootDirectory: string
  /** Program and leading arguments, used when the container has no `command`. */
  readonly entrypoint: readonly string[]
  /** Programs that a `command` may begin with by their name, as PATH finds them in a container. */
  readonly programs?: Readonly<Record<string, readonly string[]>>
  /** Exact version that was resolved, such as a digest. Default: the reference. */
  readonly id?: string
}

/** When an image is asked for, as Kubernetes has it. */
export type PullPolicy = 'Always' | 'IfNotPresent' | 'Never'

/** The pod that an image is pulled for. */
export interface ImageUser {
  readonly policy: PullPolicy
  /** Reads the logins in the pull secrets of the pod. */
  logins(): Promise<readonly RegistryLogin[]>
  /** Receives events such as Pulling. */
  onEvent(type: 'Normal' | 'Warning', reason: string, message: string): void
  /** Aborts when the pod does not want the image any more. */
  readonly signal: AbortSignal
}

/**
 * Finds the program of an image reference. Rejects when there is none. Without a user, nothing is
 * pulled.
 */
export type ImageResolver = (reference: string, user?: ImageUser) => Promise<ResolvedImage>
