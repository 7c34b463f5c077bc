import { toYaml } from '#apimachinery/json/yaml.ts'
import type { Deployment } from '#api/apps/v1/deployment.ts'
import type { KubeObject } from '#apimachinery/meta/object-meta.ts'
import { installationManifests, type Installation } from '../manifests/operator-manifests.ts'
import type { PackageFiles } from './package-files.ts'

/** Parameters of a chart. The registry and the folder of the kubelets are values of the chart. */
export type ChartOptions = Omit<Installation, 'kubeletRoot'>

const defaultKubeletRoot = '/var/lib/kubelet'

/**
 * Renders the objects of {@link installationManifests} as a Helm chart. CRDs are in `crds/`, which
 * `helm upgrade` does not touch: the new operator upgrades them. The KubeVirt object outlives the
 * Helm release, as virt-operator has to remove the components before it ends itself. Pure.
 */
export function helmChart(options: ChartOptions): PackageFiles {
  const { version, namespace, definitions } = options
  const objects = installationManifests({ ...options, registry: value('registry'), kubeletRoot: value('kubeletRoot') })
  const templates = new Map<string, KubeObject[]>()
  for (const object of objects) {
    const file = templateOf[object.kind ?? '']
    if (file !== undefined) templates.set(file, [...(templates.get(file) ?? []), adaptable(object)])
  }
  const operator = objects.find((object): object is Deployment => object.kind === 'Deployment')
  return new Map([
    ['Chart.yaml', toYaml(chartOf(version))],
    ['values.yaml', valuesFile(options, operator)],
    ['values.schema.json', `${JSON.stringify(valuesSchema, null, 2)}\n`],
    ...definitions.map((definition): [string, string] => [`crds/${definition.metadata?.name ?? ''}.yaml`, toYaml(definition)]),
    ['templates/namespace.yaml', namespaceCheck(namespace)],
    ...[...templates].map(([file, items]): [string, string] => [
      `templates/${file}.yaml`,
      items.map((item) => `---\n${template(item)}`).join(''),
    ]),
    ['templates/kubevirt.yaml', kubeVirtTemplate(options)],
    ['templates/NOTES.txt', notes(namespace)],
  ])
}

/**
 * File of each kind. The namespace belongs to the administrator, CRDs have a folder of their own,
 * and the KubeVirt object is written from values.
 */
const templateOf: Readonly<Record<string, string>> = {
  ServiceAccount: 'access',
  ClusterRole: 'access',
  ClusterRoleBinding: 'access',
  Role: 'access',
  RoleBinding: 'access',
  ValidatingAdmissionPolicy: 'policies',
  ValidatingAdmissionPolicyBinding: 'policies',
  CSIDriver: 'operator',
  Deployment: 'operator',
  PodDisruptionBudget: 'operator',
}

function chartOf(version: string): object {
  return {
    apiVersion: 'v2',
    name: 'steadyvm',
    description: 'Virtual machines that stay steady while everything under them changes, by the APIs of KubeVirt',
    type: 'application',
    version: version.replace(/^v/, ''),
    appVersion: version,
    kubeVersion: '>=1.31.0-0',
    keywords: ['kubevirt', 'virtual machines', 'qemu'],
  }
}

/** Marks a place for a value of the chart; {@link template} makes it an expression of Helm. */
function value(path: string): string {
  return `«${path}»`
}

/**
 * Writes an object with Helm's expressions at its marks: as JSON where a mark is the whole value,
 * as text inside of a longer one. Braces in the object itself are escaped.
 */
function template(object: KubeObject): string {
  return toYaml(object)
    .replaceAll('{{', '{{ "{{" }}')
    .replaceAll(/: «([^»]+)»$/gm, ': {{ toJson .Values.$1 }}')
    .replaceAll(/«([^»]+)»/g, '{{ .Values.$1 }}')
}

/** Lets values decide what administrators adapt in a Deployment; other objects stay as they are. */
function adaptable(object: KubeObject): KubeObject {
  if (object.kind !== 'Deployment') return object
  const { spec, ...deployment } = object as Deployment
  const [container, ...others] = spec.template.spec.containers
  const pod = {
    ...spec.template.spec,
    ...Object.fromEntries(['tolerations', 'affinity', 'nodeSelector'].map((field) => [field, value(`operator.${field}`)])),
    imagePullSecrets: value('imagePullSecrets'),
    containers: [{ ...container, imagePullPolicy: value('imagePullPolicy'), resources: value('operator.resources') }, ...others],
  }
  const adapted = { ...spec, replicas: value('operator.replicas'), template: { ...spec.template, spec: pod } }
  return { ...deployment, spec: adapted } as unknown as KubeObject
}

function valuesFile({ registry }: ChartOptions, operator: Deployment | undefined): string {
  const pod = operator?.spec.template.spec
  const section = (comment: string, values: object): string => `${comment.replaceAll(/^/gm, '# ')}\n${toYaml(values)}`
  return [
    section('Registry that has the images of all components.', { registry }),
    section('IfNotPresent, Always or Never: for the operator and all components.', { imagePullPolicy: 'IfNotPresent' }),
    section('Secrets of the registry in the namespace of the release, such as [{name: registry}].', { imagePullSecrets: [] }),
    section('Folder of the kubelets (--root-dir), such as /var/lib/k0s/kubelet.', { kubeletRoot: defaultKubeletRoot }),
    section('Pods of virt-operator. One leads, the others stand by.', {
      operator: {
        replicas: operator?.spec.replicas,
        resources: pod?.containers[0]?.resources ?? {},
        nodeSelector: {},
        tolerations: pod?.tolerations ?? [],
        affinity: pod?.affinity ?? {},
      },
    }),
    section(
      [
        'The KubeVirt object, for which the operator installs the components. Its spec is that of KubeVirt:',
        'infra, workloads, configuration, customizeComponents and so on. "helm uninstall" keeps the object.',
      ].join('\n'),
      { kubevirt: { create: true, spec: {} } },
    ),
  ].join('\n')
}

const anyObject = { type: 'object' }
const anyList = { type: 'array', items: anyObject }

/** Refuses unknown values: a misspelt one would be ignored in silence. */
const valuesSchema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  type: 'object',
  additionalProperties: false,
  properties: {
    global: anyObject,
    registry: { type: 'string', minLength: 1 },
    imagePullPolicy: { enum: ['Always', 'IfNotPresent', 'Never'] },
    imagePullSecrets: {
      type: 'array',
      items: { type: 'object', additionalProperties: false, required: ['name'], properties: { name: { type: 'string' } } },
    },
    kubeletRoot: { type: 'string', pattern: '^(/[A-Za-z0-9._-]+)+$' },
    operator: {
      type: 'object',
      additionalProperties: false,
      properties: {
        replicas: { type: 'integer', minimum: 1 },
        resources: anyObject,
        nodeSelector: anyObject,
        tolerations: anyList,
        affinity: anyObject,
      },
    },
    kubevirt: {
      type: 'object',
      additionalProperties: false,
      properties: { create: { type: 'boolean' }, spec: anyObject },
    },
  },
}

/** Components find each other in one namespace, and roles are bound to accounts in it. */
function namespaceCheck(namespace: string): string {
  return `{{- if ne .Release.Namespace "${namespace}" }}
{{- fail "steadyvm is installed in the namespace ${namespace}: add --namespace ${namespace}" }}
{{- end }}
`
}

function kubeVirtTemplate({ namespace, ownRegistry }: ChartOptions): string {
  const labels = { 'app.kubernetes.io/part-of': 'steadyvm' }
  const annotations = { 'helm.sh/resource-policy': 'keep' }
  const object = { apiVersion: 'kubevirt.io/v1', kind: 'KubeVirt', metadata: { name: 'kubevirt', namespace, labels, annotations } }
  return `{{- if .Values.kubevirt.create }}
{{- $spec := dict "imagePullPolicy" .Values.imagePullPolicy }}
{{- if ne .Values.registry "${ownRegistry}" }}
{{- $_ := set $spec "imageRegistry" .Values.registry }}
{{- end }}
{{- with .Values.imagePullSecrets }}
{{- $_ := set $spec "imagePullSecrets" . }}
{{- end }}
${toYaml(object)}spec: {{ mergeOverwrite $spec .Values.kubevirt.spec | toJson }}
{{- end }}
`
}

function notes(namespace: string): string {
  return `virt-operator {{ .Chart.AppVersion }} installs the components. See when they are available:

  kubectl wait -n ${namespace} kubevirt/kubevirt --for=condition=Available --timeout=5m

To remove steadyvm, let the operator remove its components first, as long as it runs:

  kubectl delete -n ${namespace} kubevirt/kubevirt
  helm uninstall -n ${namespace} {{ .Release.Name }}
`
}
