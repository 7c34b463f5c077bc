import type { CustomResourceDefinition } from '#api/apiextensions/v1/custom-resource-definition.ts'
import { customResourceDefinitions } from '#api/apiextensions/v1/resources.ts'
import { isNotFound } from '#apimachinery/errors.ts'
import type { Client } from '#client/client.ts'
import type { Logger } from '#runtime/log.ts'
import { done, type Reconciler } from '#runtime/controller/reconcile.ts'
import { decide, type Serving } from './decide.ts'

/** What the reconciler needs from the world. */
export interface Ports {
  readonly client: Pick<Client, 'patch'>
  /** The definition of that name, from a cache; undefined: it is not there. */
  readonly definition: (name: string) => CustomResourceDefinition | undefined
  /** Asked each time: it follows the KubeVirt object. */
  readonly serving: () => Serving
  readonly log: Logger
}

/**
 * Serves a version of some kinds for as long as it is asked for, whoever installs the definitions
 * anew meanwhile.
 */
export function createServedVersionsReconciler({ client, definition, serving, log }: Ports): Reconciler {
  return async ({ name }, { signal }) => {
    const [present, wanted] = [definition(name), serving()]
    const patch = present === undefined ? undefined : decide(present, wanted)
    if (patch === undefined) return done
    // The whole list of versions goes with it: who has changed another one meanwhile must not lose
    // that.
    const body = { ...patch, metadata: { resourceVersion: present?.metadata.resourceVersion } }
    try {
      await client.patch(customResourceDefinitions, { name }, { type: 'merge', body }, { signal })
    } catch (error) {
      if (isNotFound(error)) return done
      throw error
    }
    log.info({ definition: name, version: wanted.version, served: wanted.served }, 'The versions of a kind have changed')
    return done
  }
}
