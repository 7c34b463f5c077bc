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

/** `steadyvm package`. */
export const packageRoutes: RouteMap<CliContext> = buildRouteMap({
  routes: { helm },
  docs: { brief: "Write packages for cluster administrators' tools: a Helm chart" },
})
