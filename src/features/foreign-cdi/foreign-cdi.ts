import { customResourceDefinitions } from '#api/apiextensions/v1/resources.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import type { Client } from '#client/client.ts'
import { found } from '#client/found.ts'
import type { Clock } from '#runtime/clock/clock.ts'
import { recheckIn, type Reconciler } from '#runtime/controller/reconcile.ts'
import type { Sample } from '#runtime/metrics/exposition.ts'
import type { Metrics } from '#runtime/metrics/metrics.ts'

/** Group of CDI's kinds. */
export const cdiGroup = 'cdi.kubevirt.io'

/** Labels that CDI's operator, or its manifest, gives to CRDs. */
const labelsOfCdi = ['operator.cdi.kubevirt.io', 'cdi.kubevirt.io']
/** Label of all our CRDs. */
const ourLabel = 'kubevirt.io'

/**
 * Reports whether a CRD of CDI's group belongs to CDI. Its label counts first: CDI may have taken
 * over a CRD that we made. Pure.
 */
export function isForeignDefinition({ metadata }: KubeObject): boolean {
  const labels = metadata?.labels ?? {}
  if (labelsOfCdi.some((label) => Object.hasOwn(labels, label))) return true
  return !Object.hasOwn(labels, ourLabel)
}

/** Answers whether the cluster runs CDI. */
export type ForeignCdi = (signal?: AbortSignal) => Promise<boolean>

/** Milliseconds for which an answer holds. CDI is installed seldom, and the CRD is large. */
const holdsMs = 60_000
/** Milliseconds after which a controller that stands down looks again. */
const recheckMs = 60_000

/**
 * Asks for the CRD of DataVolumes, at most once a minute. Rejects while the API server cannot be
 * reached, unless an earlier answer is known.
 */
export function createForeignCdi({
  client,
  clock,
}: {
  readonly client: Pick<Client, 'get'>
  readonly clock: Pick<Clock, 'now'>
}): ForeignCdi {
  let known: { readonly isForeign: boolean; readonly untilMs: number } | undefined
  return async (signal) => {
    const now = clock.now()
    if (known !== undefined && now < known.untilMs) return known.isForeign
    try {
      const options = signal === undefined ? {} : { signal }
      const definition = await found(client.get(customResourceDefinitions, { name: `datavolumes.${cdiGroup}` }, options))
      known = { isForeign: definition !== undefined && isForeignDefinition(definition), untilMs: now + holdsMs }
    } catch (error) {
      if (known === undefined) throw error
    }
    return known.isForeign
  }
}

/** Returns a reconciler that does nothing where CDI runs. */
export function unlessForeign(foreign: ForeignCdi, reconciler: Reconciler): Reconciler {
  return async (request, context) => ((await foreign(context.signal)) ? recheckIn(recheckMs) : reconciler(request, context))
}

/** Metrics that are read at each scrape. */
export type ReadMetrics = Pick<Metrics, 'gaugeFrom' | 'counterFrom'>

/**
 * Returns metrics that have no series where CDI runs, which reports them itself, nor until that is
 * known. Each scrape asks, and uses the answer to the one before.
 */
export function unlessForeignMetrics(foreign: ForeignCdi, metrics: ReadMetrics): ReadMetrics {
  let isOurs = false
  const guarded = (read: () => Iterable<Sample>) => (): Iterable<Sample> => {
    void foreign().then(
      (isForeign) => (isOurs = !isForeign),
      () => {},
    )
    return isOurs ? read() : []
  }
  return {
    gaugeFrom: (definition, read) => metrics.gaugeFrom(definition, guarded(read)),
    counterFrom: (definition, read) => metrics.counterFrom(definition, guarded(read)),
  }
}
