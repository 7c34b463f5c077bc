import type { DataImportCron } from '#api/cdi/v1beta1/data-import-cron.ts'
import type { DataVolumeSourceObject, DataVolumeSourceHTTP, DataVolumeSourceRegistry } from '#api/cdi/v1beta1/data-volume-source.ts'

/** What a DataImportCron imports. */
export type CronSource =
  | { readonly kind: 'registry'; readonly registry: DataVolumeSourceRegistry; readonly url: string; readonly digest?: string }
  | { readonly kind: 'http'; readonly http: DataVolumeSourceHTTP }
  | { readonly kind: 'pvc'; readonly pvc: DataVolumeSourceObject }
  /** Admission refuses others. */
  | { readonly kind: 'unknown' }

/**
 * Returns what a DataImportCron imports. An image that is named by its digest never changes. Pure.
 */
export function sourceOf({ spec, metadata }: DataImportCron): CronSource {
  const { registry, http, pvc } = spec.template.spec.source ?? {}
  if (registry?.url !== undefined && registry.url !== '') {
    const digest = /@(sha256:[0-9a-f]{64})$/.exec(registry.url)?.[1]
    return { kind: 'registry', registry, url: registry.url, ...(digest === undefined ? {} : { digest }) }
  }
  if (http !== undefined) return { kind: 'http', http }
  if (pvc !== undefined) return { kind: 'pvc', pvc: { ...pvc, namespace: pvc.namespace || (metadata.namespace ?? '') } }
  return { kind: 'unknown' }
}

/** `docker://quay.io/a/b:latest` at a digest → `docker://quay.io/a/b@sha256:…`. Pure. */
export function urlAtDigest(url: string, digest: string): string {
  const [, before = '', path = ''] = /^(.*\/)([^/]*)$/.exec(url.replace(/@[^@/]*$/, '')) ?? [undefined, '', url]
  return `${before}${path.replace(/:[^:]*$/, '')}@${digest}`
}
