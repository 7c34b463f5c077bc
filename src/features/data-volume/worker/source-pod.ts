import type { PersistentVolumeClaim } from '#api/core/v1/persistent-volume-claim.ts'
import type { Pod } from '#api/core/v1/pod.ts'
import { workerPaths } from '#importer/index.ts'
import { names } from '../names.ts'
import { imageName, volumePaths } from './task-of.ts'
import { sourceName } from './worker-name.ts'
import { serverVariables, unprivileged, withoutCapabilities, withoutMeshes, workerPort, type WorkerPodOptions } from './worker-pod.ts'

/**
 * Returns the pod that serves a claim to a worker that cannot have it, until it is deleted. Only
 * that worker gets an answer. Pure.
 */
export function sourcePodOf(copied: PersistentVolumeClaim, worker: Pod, { image, settings, secretName, authority }: WorkerPodOptions): Pod {
  const { namespace = '', name: claimName = '' } = copied.metadata
  const isBlock = copied.spec?.volumeMode === 'Block'
  const { placement, imagePullSecrets, resources } = settings
  const path = isBlock ? volumePaths.sourceDevice : `${volumePaths.source}/${imageName}`
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: sourceName(worker),
      namespace,
      labels: {
        app: 'containerized-data-importer',
        'cdi.kubevirt.io': 'cdi-clone-source',
        'app.kubernetes.io/component': 'storage',
        [names.servesLabel]: worker.metadata.uid ?? '',
      },
      annotations: {
        ...withoutMeshes,
        [names.workerAuthority]: authority,
        [names.servesClaim]: `${worker.metadata.namespace ?? ''}/${targetOf(worker)}`,
        'steadyvm.io/own-address': 'true',
      },
    },
    spec: {
      restartPolicy: 'OnFailure',
      enableServiceLinks: false,
      automountServiceAccountToken: false,
      terminationGracePeriodSeconds: 5,
      securityContext: unprivileged,
      ...placement,
      ...(imagePullSecrets.length === 0 ? {} : { imagePullSecrets: [...imagePullSecrets] }),
      containers: [
        {
          name: 'importer',
          image,
          env: [{ name: 'IMPORTER_SERVES', value: path }, ...serverVariables],
          ports: [{ name: 'source', containerPort: workerPort, protocol: 'TCP' }],
          terminationMessagePolicy: 'FallbackToLogsOnError',
          resources,
          securityContext: withoutCapabilities,
          volumeMounts: [
            ...(isBlock ? [] : [{ name: 'source', mountPath: volumePaths.source, readOnly: true }]),
            { name: 'serving', mountPath: workerPaths.serving, readOnly: true },
          ],
          ...(isBlock ? { volumeDevices: [{ name: 'source', devicePath: volumePaths.sourceDevice }] } : {}),
        },
      ],
      volumes: [
        { name: 'source', persistentVolumeClaim: { claimName, readOnly: true } },
        { name: 'serving', secret: { secretName } },
      ],
    },
  }
}

/** Name of the claim that a worker fills. */
function targetOf({ spec }: Pod): string {
  return spec.volumes?.find(({ name }) => name === 'target')?.persistentVolumeClaim?.claimName ?? ''
}
