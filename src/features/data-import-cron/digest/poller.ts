import type { DataImportCron } from '#api/cdi/v1beta1/data-import-cron.ts'
import type { Container } from '#api/core/v1/container.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import type { Volume } from '#api/core/v1/volume.ts'
import type { OwnerReference } from '#apimachinery/meta/object-meta.ts'
import { isBeingDeleted } from '#apimachinery/meta/deletion.ts'
import type { ImportSettings } from '#features/storage-profile/index.ts'
import { parseResult, workerPaths, type DigestTask } from '#importer/index.ts'
import { isDigest } from '../imports/import-name.ts'
import { derivedName, names } from '../names.ts'
import type { CronSource } from './source-of.ts'

/** Seconds after which a pod that has no answer is stopped. */
const deadlineSeconds = 180

/** User of the process. It writes nothing. */
const pollerUser = 107

/** Name of the pod that looks a digest up: one at a time for each DataImportCron. Pure. */
export function pollerName({ metadata: { name = '', uid = '' } }: DataImportCron): string {
  return derivedName('poller', name, uid)
}

/**
 * Returns the pod that asks the source for its digest. It runs in the namespace of the
 * DataImportCron: credentials stay there, and its NetworkPolicies hold. Pure.
 */
export function pollerOf(
  cron: DataImportCron,
  source: Extract<CronSource, { kind: 'registry' | 'http' }>,
  { image, settings, owner }: { readonly image: string; readonly settings: ImportSettings; readonly owner: OwnerReference },
): Pod {
  const { serviceAccountName = '', metadata } = { ...cron.spec, metadata: cron.metadata }
  const { volumes, mounts } = filesOf(source)
  const { placement, imagePullSecrets, resources } = settings
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: pollerName(cron),
      namespace: metadata.namespace ?? '',
      labels: {
        app: 'containerized-data-importer',
        'cdi.kubevirt.io': 'poller',
        'app.kubernetes.io/component': 'storage',
        [names.pollerLabel]: '',
        [names.cronLabel]: metadata.name ?? '',
      },
      // Meshes would keep the pod running.
      annotations: { 'sidecar.istio.io/inject': 'false', 'linkerd.io/inject': 'disabled' },
      ownerReferences: [owner],
    },
    spec: {
      restartPolicy: 'Never',
      activeDeadlineSeconds: deadlineSeconds,
      terminationGracePeriodSeconds: 0,
      enableServiceLinks: false,
      automountServiceAccountToken: false,
      ...(serviceAccountName === '' ? {} : { serviceAccountName }),
      securityContext: { runAsUser: pollerUser, runAsGroup: pollerUser, runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      ...placement,
      ...(imagePullSecrets.length === 0 ? {} : { imagePullSecrets: [...imagePullSecrets] }),
      containers: [
        {
          name: 'importer',
          image,
          env: [{ name: 'IMPORTER_TASK', value: JSON.stringify(taskOf(source, settings)) }],
          terminationMessagePolicy: 'FallbackToLogsOnError',
          resources,
          securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
          volumeMounts: mounts,
        },
      ],
      volumes,
    },
  }
}

/** Returns the task of the pod. Pure. */
export function taskOf(
  source: Extract<CronSource, { kind: 'registry' | 'http' }>,
  { insecureRegistries }: Pick<ImportSettings, 'insecureRegistries'>,
): DigestTask {
  if (source.kind === 'http') {
    const { url, extraHeaders = [], insecureSkipVerify = false } = source.http
    return { kind: 'digest', source: { kind: 'http', url, headers: extraHeaders, insecureSkipVerify } }
  }
  const host = /^[a-z-]+:\/\/([^/]*)/.exec(source.url)?.[1] ?? ''
  return { kind: 'digest', source: { kind: 'registry', url: source.url, insecureSkipVerify: insecureRegistries.includes(host) } }
}

interface SourceFiles {
  readonly volumes: Volume[]
  readonly mounts: NonNullable<Container['volumeMounts']>
}

function filesOf(source: Extract<CronSource, { kind: 'registry' | 'http' }>): SourceFiles {
  const { secretRef = '', certConfigMap = '' } = source.kind === 'http' ? source.http : source.registry
  const headers = source.kind === 'http' ? (source.http.secretExtraHeaders ?? []) : []
  const files: readonly (readonly [Volume, path: string])[] = [
    ...(secretRef === '' ? [] : [[{ name: 'credentials', secret: { secretName: secretRef } }, workerPaths.credentials] as const]),
    ...(certConfigMap === '' ? [] : [[{ name: 'authorities', configMap: { name: certConfigMap } }, workerPaths.authorities] as const]),
    ...headers.map(
      (secretName, index) => [{ name: `headers-${index}`, secret: { secretName } }, `${workerPaths.headers}/${index}`] as const,
    ),
  ]
  return {
    // On one machine a container without volumes has no termination message, which is the answer.
    volumes: [{ name: 'scratch', emptyDir: {} }, ...files.map(([volume]) => volume)],
    mounts: [
      { name: 'scratch', mountPath: workerPaths.scratch },
      ...files.map(([{ name }, mountPath]) => ({ name, mountPath, readOnly: true })),
    ],
  }
}

/** What a pod that asks for a digest shows. */
export type PollState =
  | { readonly kind: 'running' }
  /** `atMs`: when the answer came. */
  | { readonly kind: 'answered'; readonly digest: string; readonly atMs: number }
  | { readonly kind: 'failed'; readonly reason: string; readonly message: string; readonly atMs: number }

/** Reads a pod that asks for a digest. Pure. */
export function pollState(pod: Pod, nowMs: number): PollState {
  const { status } = pod
  const terminated = status?.containerStatuses?.[0]?.state?.terminated
  const isOver = status?.phase === 'Succeeded' || status?.phase === 'Failed'
  if (isBeingDeleted(pod) || !isOver) return isStuck(pod, nowMs) ?? { kind: 'running' }
  const finished = Date.parse(terminated?.finishedAt ?? '')
  const atMs = Number.isNaN(finished) ? Date.parse(pod.metadata.creationTimestamp ?? '') : finished
  const { digest, reason, message } = parseResult(terminated?.message) ?? {}
  if (status.phase === 'Succeeded' && digest !== undefined && isDigest(digest)) return { kind: 'answered', digest, atMs }
  const otherwise =
    status.reason === 'DeadlineExceeded'
      ? `no answer within ${deadlineSeconds} s`
      : (status.message ?? terminated?.message ?? 'the pod has ended without an answer')
  return { kind: 'failed', reason: reason ?? status.reason ?? 'Error', message: message ?? otherwise.slice(-1024), atMs }
}

/** A pod that is never scheduled, or whose image cannot be pulled, is no answer either. */
function isStuck(pod: Pod, nowMs: number): PollState | undefined {
  const createdMs = Date.parse(pod.metadata.creationTimestamp ?? '')
  if (isBeingDeleted(pod) || Number.isNaN(createdMs) || nowMs < createdMs + 2 * deadlineSeconds * 1000) return undefined
  const waiting = pod.status?.containerStatuses?.[0]?.state?.waiting
  const scheduled = pod.status?.conditions?.find(({ type, status }) => type === 'PodScheduled' && status === 'False')
  return {
    kind: 'failed',
    reason: waiting?.reason ?? scheduled?.reason ?? 'NotStarted',
    message: waiting?.message ?? scheduled?.message ?? `the pod ${pod.metadata.name ?? ''} does not start`,
    atMs: nowMs,
  }
}
