import type { ObservabilityConfig } from '#api/hco/v1/observability.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { labelsOf } from '../../names.ts'
import { gateSource } from '../rendering/rendering.ts'
import type { TlsSettings } from '../rendering/tls-profile.ts'
import { accessOf, fieldOfPod, podSelector, restrictedContainer, type Workload, type WorkloadPlace } from './workload.ts'

const name = 'virt-observability-controller'
const read = ['get', 'list', 'watch']
const keep = [...read, 'create', 'update', 'delete']

/** Serves metrics and rules of virtual machines, limited by the lists of HyperConverged. */
export const observabilityController: Workload = {
  name: 'observability-controller',
  part: name,
  image: 'OBSERVABILITY_CONTROLLER_IMAGE',
  requestedBy: (rendering) => {
    const gate = rendering.gate('deployObservabilityController')
    return gate?.isOn === true ? gateSource(gate) : undefined
  },
  objects: (place) => [
    ...accessOf(place, { account: name, role: name, binding: `${name}-rolebinding` }, [
      {
        apiGroups: ['kubevirt.io'],
        resources: ['virtualmachines', 'virtualmachineinstances', 'virtualmachineinstancemigrations', 'kubevirts'],
        verbs: read,
      },
      {
        apiGroups: ['instancetype.kubevirt.io'],
        resources: [
          'virtualmachineinstancetypes',
          'virtualmachineclusterinstancetypes',
          'virtualmachinepreferences',
          'virtualmachineclusterpreferences',
        ],
        verbs: read,
      },
      { apiGroups: [''], resources: ['pods', 'persistentvolumeclaims'], verbs: read },
      { apiGroups: [''], resources: ['configmaps'], verbs: ['get'] },
      { apiGroups: [''], resources: ['services', 'secrets'], verbs: keep },
      { apiGroups: ['apps'], resources: ['controllerrevisions'], verbs: read },
      { apiGroups: ['monitoring.coreos.com'], resources: ['prometheusrules', 'servicemonitors'], verbs: keep },
      { apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews'], verbs: ['create'] },
      { apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'], verbs: ['create'] },
    ]),
    deploymentOf(place),
  ],
}

function deploymentOf({ image, tls, hyperconverged }: WorkloadPlace): KubeObject {
  const probe = (path: string, initialDelaySeconds: number, periodSeconds: number): object => ({
    httpGet: { path, port: 8081 },
    initialDelaySeconds,
    periodSeconds,
  })
  const podSpec = {
    serviceAccountName: name,
    priorityClassName: 'system-cluster-critical',
    tolerations: [{ key: 'CriticalAddonsOnly', operator: 'Exists' }],
    securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
    containers: [
      {
        name: 'manager',
        image,
        imagePullPolicy: 'IfNotPresent',
        args: [
          '--metrics-bind-address=:8443',
          '--metrics-secure=true',
          '--health-probe-bind-address=:8081',
          '--leader-elect=false',
          ...profileArguments(tls),
          ...listArguments(hyperconverged.spec?.observability),
        ],
        env: [fieldOfPod('POD_NAMESPACE', 'metadata.namespace'), fieldOfPod('POD_SERVICE_ACCOUNT', 'spec.serviceAccountName')],
        ports: [
          { name: 'metrics', containerPort: 8443, protocol: 'TCP' },
          { name: 'health', containerPort: 8081, protocol: 'TCP' },
        ],
        resources: { requests: { cpu: '10m', memory: '64Mi' }, limits: { memory: '128Mi' } },
        securityContext: restrictedContainer,
        livenessProbe: probe('/healthz', 15, 20),
        readinessProbe: probe('/readyz', 5, 10),
        terminationMessagePolicy: 'FallbackToLogsOnError',
      },
    ],
  }
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: {
      replicas: 1,
      selector: { matchLabels: podSelector(name) },
      template: { metadata: { labels: labelsOf(name) }, spec: podSpec },
    },
  } as unknown as KubeObject
}

/** The controller knows the profiles by name, and ciphers by the names of OpenSSL. */
function profileArguments({ type, minTLSVersion, ciphers }: TlsSettings & { readonly type: string }): readonly string[] {
  return [
    `--tls-security-profile=${type}`,
    ...(type === 'Custom' ? [`--tls-min-version=${minTLSVersion}`] : []),
    ...(type === 'Custom' && minTLSVersion !== 'VersionTLS13' && ciphers.length > 0 ? [`--tls-cipher-suites=${ciphers.join(',')}`] : []),
  ]
}

/** Lists that are empty allow everything. */
function listArguments({ workloads, allowedAlerts, allowedRecordingRules }: ObservabilityConfig = {}): readonly string[] {
  const lists = {
    'metrics-allowlist': workloads?.allowedMetrics,
    'alerts-allowlist': allowedAlerts,
    'recording-rules-allowlist': allowedRecordingRules,
  }
  return Object.entries(lists).flatMap(([flag, list = []]) => (list.length === 0 ? [] : [`--${flag}=${list.join(',')}`]))
}
