import { buildCommand, buildRouteMap, type RouteMap } from '@stricli/core'
import type { CliContext } from '../context.ts'

const helm = buildCommand({
  loader: async () => (await import('../commands/system/package.ts')).helm,
  parameters: {
    flags: {
      output: {
        kind: 'parsed',
        parse: String,
        optional: true,
        brief: 'Folder of the chart; an earlier chart of steadyvm there is replaced (default: ./steadyvm)',
        placeholder: 'dir',
      },
      registry: {
        kind: 'parsed',
        parse: String,
        optional: true,
        brief: 'Default of the value "registry": the registry that has the images of the components',
        placeholder: 'registry',
      },
    },
  },
  docs: {
    brief: 'Write the Helm chart of this release: helm install steadyvm ./steadyvm --namespace kubevirt',
    fullDescription: `Write the Helm chart of this release, with the same objects that "steadyvm install" prints. Talks to no cluster.

  steadyvm package helm
  kubectl create namespace kubevirt
  kubectl label namespace kubevirt pod-security.kubernetes.io/enforce=privileged
  helm install steadyvm ./steadyvm --namespace kubevirt

Its values are in values.yaml; unknown ones are refused.`,
  },
})

const versionPattern = /^v?\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/

const olm = buildCommand({
  loader: async () => (await import('../commands/system/package.ts')).olm,
  parameters: {
    flags: {
      output: {
        kind: 'parsed',
        parse: String,
        optional: true,
        brief: 'Folder of the bundle; an earlier bundle of steadyvm there is replaced (default: ./bundle)',
        placeholder: 'dir',
      },
      registry: {
        kind: 'parsed',
        parse: String,
        optional: true,
        brief: 'Registry that has the images of the components',
        placeholder: 'registry',
      },
      channel: {
        kind: 'parsed',
        parse: matching(/^[a-z0-9][a-z0-9.-]*$/, 'a channel such as "stable"'),
        optional: true,
        brief: 'Channel of the package (default: stable)',
        placeholder: 'name',
      },
      replaces: {
        kind: 'parsed',
        parse: matching(versionPattern, 'a version such as "v0.1.0"'),
        optional: true,
        brief: 'Version of the channel that this release replaces',
        placeholder: 'version',
      },
    },
  },
  docs: {
    brief: 'Write the bundle of this release for the Operator Lifecycle Manager',
    fullDescription: `Write the bundle of this release for the Operator Lifecycle Manager (OLM): manifests, metadata and a Dockerfile. Talks to no cluster.

  steadyvm package olm --registry REGISTRY
  docker build -f bundle/bundle.Dockerfile -t REGISTRY/steadyvm-bundle:VERSION bundle

virt-operator applies what a bundle cannot contain: the CSI driver, the admission policies and a role binding in kube-system.`,
  },
})

function matching(pattern: RegExp, what: string): (text: string) => string {
  return (text) => {
    if (!pattern.test(text)) throw new SyntaxError(`${JSON.stringify(text)} is not ${what}`)
    return text
  }
}

/** `steadyvm package`. */
export const packageRoutes: RouteMap<CliContext> = buildRouteMap({
  routes: { helm, olm },
  docs: { brief: "Write packages for cluster administrators' tools: a Helm chart, an OLM bundle" },
})
