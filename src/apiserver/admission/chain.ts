import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { RequestContext, Target } from '#apiserver/request/api-request.ts'

/** What an admission plugin looks at. */
export interface AdmissionRequest {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT'
  readonly target: Target
  /** Undefined for DELETE. */
  readonly object: KubeObject | undefined
  /** Undefined for CREATE. */
  readonly old: KubeObject | undefined
  readonly dryRun: boolean
  readonly context: RequestContext
}

/**
 * What an admission plugin looks at when somebody wants to talk to a pod: `pods/exec`,
 * `pods/attach`, `pods/portforward`.
 */
export interface ConnectRequest {
  readonly target: Target
  /** What the query says, as PodExecOptions and the like. */
  readonly options: KubeObject
  readonly context: RequestContext
}

/**
 * One link of the chain. Plugins run in the order of the list; mutators all run before validators.
 */
export interface AdmissionPlugin {
  readonly name: string
  /**
   * Storage keys of the resources that it is about: requests for others are never shown to it.
   * Default: all.
   */
  readonly resources?: ReadonlySet<string>
  /** Gives the changed object, or undefined when it changes nothing. Never mutates its argument. */
  mutate?(request: AdmissionRequest): Promise<KubeObject | undefined> | KubeObject | undefined
  /** Throws a StatusError to refuse. */
  validate?(request: AdmissionRequest): Promise<void> | void
  /** Throws a StatusError to refuse a connection. */
  connect?(request: ConnectRequest): Promise<void> | void
}

/** A connection as those see it who look at all operations alike: its options are the object. */
export function asAdmission({ target, options, context }: ConnectRequest): AdmissionRequest {
  return { operation: 'CONNECT', target, object: options, old: undefined, dryRun: false, context }
}
