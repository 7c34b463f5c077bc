import type { CustomResourceDefinition } from '#api/apiextensions/v1/custom-resource-definition.ts'
import { customResourceDefinitions } from '#api/apiextensions/v1/resources.ts'
import type { Client } from '#client/client.ts'
import { found } from '#client/found.ts'
import { patchIfUnchanged } from '#client/patch-status.ts'
import type { Logger } from '#runtime/process/log.ts'
import { done, type Reconciler } from '#runtime/controller/reconcile.ts'
import { decide, type Serving } from './decide.ts'

/** Dependencies of the reconciler. */
export interface Ports {
  readonly client: Pick<Client, 'patch'>
  /** Returns the cached CRD; undefined if there is none. */
  readonly definition: (name: string) => CustomResourceDefinition | undefined
  /** Returns the desired versions, which follow the KubeVirt object. */
  readonly serving: () => Serving
  readonly log: Logger
}

/**
 * Keeps the served versions of some kinds as desired, also when an installer applies the CRDs
 * again.
 */
export function createServedVersionsReconciler({ client, definition, serving, log }: Ports): Reconciler {
  return async ({ name }, { signal }) => {
    const [present, wanted] = [definition(name), serving()]
    if (present === undefined) return done
    const patch = decide(present, wanted)
    if (patch === undefined) return done
    // The patch replaces the list of versions; a concurrent change must be a conflict.
    if ((await found(patchIfUnchanged(client, customResourceDefinitions, present, patch, { signal }))) === undefined) return done
    log.info({ definition: name, version: wanted.version, served: wanted.served }, 'The versions of a kind have changed')
    return done
  }
}
