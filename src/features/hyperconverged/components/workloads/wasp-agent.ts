import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { labelsOf } from '../../names.ts'
import { accessOf, fieldOfPod, type Workload, type WorkloadPlace } from './workload.ts'

const name = 'wasp-agent'
const account = 'wasp'
const field = 'virtualization.higherWorkloadDensity.memoryOvercommitPercentage'
const autopilot = 'platform.kubevirt.io/autopilot'

/** Lets guests swap on the nodes of OpenShift, where memory is overcommitted. */
export const waspAgent: Workload = {
  name,
  part: name,
  image: 'WASP_AGENT_IMAGE',
  requestedBy: (rendering) => {
    const { hyperconverged, cluster } = rendering.input
    const percentage = rendering.read(field)
    if (cluster?.isOpenShift !== true || typeof percentage !== 'number' || percentage <= 100) return undefined
    return isLeftToAutopilot(hyperconverged.metadata.annotations?.[autopilot]) ? undefined : rendering.sourceOf(field)
  },
  objects: (place) => [
    ...accessOf(place, { account, role: 'wasp-cluster', binding: 'wasp-cluster' }, [
      { apiGroups: [''], resources: ['pods'], verbs: ['watch', 'list'] },
    ]),
    constraintsOf(place),
    daemonSetOf(place),
  ],
}

/** The autopilot sets swap up itself if it is asked to, by name or with everything else. */
function isLeftToAutopilot(value = ''): boolean {
  return value.trim() === 'true' || value.split(',').some((one) => one.trim() === 'swap-enable')
}

function constraintsOf({ namespace }: WorkloadPlace): KubeObject {
  return {
    apiVersion: 'security.openshift.io/v1',
    kind: 'SecurityContextConstraints',
    metadata: { name: account },
    allowPrivilegedContainer: true,
    allowHostDirVolumePlugin: true,
    allowHostIPC: true,
    allowHostNetwork: true,
    allowHostPID: true,
    allowHostPorts: true,
    readOnlyRootFilesystem: false,
    runAsUser: { type: 'RunAsAny' },
    supplementalGroups: { type: 'RunAsAny' },
    seLinuxContext: { type: 'RunAsAny' },
    users: [`system:serviceaccount:${namespace}:${account}`],
    volumes: ['*'],
    allowedCapabilities: ['*'],
    allowedUnsafeSysctls: ['*'],
    seccompProfiles: ['*'],
  } as KubeObject
}

function daemonSetOf({ image, hyperconverged, isHighlyAvailable }: WorkloadPlace): KubeObject {
  const placement = hyperconverged.spec?.deployment?.nodePlacements?.infra
  const podSpec = {
    serviceAccountName: account,
    hostPID: true,
    hostUsers: true,
    terminationGracePeriodSeconds: 5,
    priorityClassName: 'system-node-critical',
    ...(placement ?? (isHighlyAvailable ? { affinity: spread } : {})),
    containers: [
      {
        name,
        image,
        imagePullPolicy: 'IfNotPresent',
        env: [{ name: 'VERBOSITY', value: '1' }, fieldOfPod('NODE_NAME', 'spec.nodeName')],
        resources: { requests: { cpu: '100m', memory: '50M' } },
        securityContext: { privileged: true },
        terminationMessagePolicy: 'FallbackToLogsOnError',
        volumeMounts: [
          { name: 'host', mountPath: '/host' },
          { name: 'rootfs', mountPath: '/rootfs' },
        ],
      },
    ],
    volumes: ['host', 'rootfs'].map((volume) => ({ name: volume, hostPath: { path: '/' } })),
  }
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name },
    spec: {
      selector: { matchLabels: { name } },
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
      template: {
        metadata: { labels: { ...labelsOf(name), 'np.kubevirt.io/allow-access-cluster-services': 'true', name } },
        spec: podSpec,
      },
    },
  } as unknown as KubeObject
}

const spread = {
  podAntiAffinity: {
    preferredDuringSchedulingIgnoredDuringExecution: [
      {
        weight: 90,
        podAffinityTerm: {
          topologyKey: 'kubernetes.io/hostname',
          labelSelector: { matchExpressions: [{ key: 'app.kubernetes.io/component', operator: 'In', values: [name] }] },
        },
      },
    ],
  },
}
