import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import type { StorageClass } from '#api/storage/v1/storage-class.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { controllerOf } from '#apimachinery/meta/owner-references.ts'
import type { Informer } from '#runtime/cache/lister.ts'
import type { Request } from '#runtime/controller/reconcile.ts'
import { enqueueSelf, watchResource, type Source } from '#runtime/controller/source.ts'
import { isRestored, targetOf } from '../clone/restored-claims.ts'
import { populationOf, type PopulationKind } from './population.ts'
import { primeName } from './prime.ts'

/** Index of claims by what they name: `kind/namespace/name`. */
const byPopulation = 'population'

/** Caches whose events concern claims that name their content. */
export interface PopulationCaches {
  readonly claims: Informer<PersistentVolumeClaim>
  readonly workers: Informer<Pod>
  readonly classes: Informer<StorageClass>
  readonly sources: readonly { readonly kind: PopulationKind; readonly objects: Informer<KubeObject> }[]
}

/** Leads changes of claims, workers, classes and sources to the claims that are filled by them. */
export function populationEvents({ claims, workers, classes, sources }: PopulationCaches): readonly Source[] {
  const isPopulated = (claim: PersistentVolumeClaim): boolean =>
    populationOf(claim, classes.get('', claim.spec?.storageClassName ?? '')) !== undefined
  const requestsFor = (claim: PersistentVolumeClaim): readonly Request[] => {
    if (isRestored(claim)) {
      const { namespace, name } = targetOf(claim)
      const target = claims.get(namespace, name)
      return target === undefined || isRestored(target) ? [] : requestsFor(target)
    }
    const owner = controllerOf(claim)
    const isPrime = owner?.kind === 'PersistentVolumeClaim' && claim.metadata.name === primeName({ metadata: { uid: owner.uid } })
    if (isPrime) return [{ namespace: claim.metadata.namespace ?? '', name: owner.name }]
    return isPopulated(claim) ? enqueueSelf(claim) : []
  }
  claims.addIndex(byPopulation, ({ metadata: { namespace = '' }, spec }) => {
    const named = spec?.dataSourceRef ?? spec?.dataSource
    return named === undefined ? [] : [`${named.kind}/${namespace}/${named.name}`]
  })
  const namersOf = (kind: PopulationKind, { metadata }: KubeObject): readonly Request[] =>
    claims.byIndex(byPopulation, `${kind}/${metadata?.namespace ?? ''}/${metadata?.name ?? ''}`).flatMap(requestsFor)
  return [
    watchResource(claims, requestsFor),
    watchResource(claims, (claim) => namersOf('PersistentVolumeClaim', claim)),
    watchResource(workers, (pod) => {
      const owner = controllerOf(pod)
      const claim = owner?.kind === 'PersistentVolumeClaim' ? claims.get(pod.metadata.namespace ?? '', owner.name) : undefined
      return claim === undefined ? [] : requestsFor(claim)
    }),
    watchResource(classes, () =>
      claims
        .list()
        .filter((claim) => isPopulated(claim))
        .flatMap(enqueueSelf),
    ),
    ...sources.map(({ kind, objects }) => watchResource(objects, (object) => namersOf(kind, object))),
  ]
}
