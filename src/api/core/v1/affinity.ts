import type { LabelSelector } from '#api/meta/v1/label-selector.ts'
import type { Int32, Int64 } from '#api/scalars.ts'

/** Affinity rules for scheduling a pod. */
export interface Affinity {
  /** Rules about the labels of nodes. */
  nodeAffinity?: NodeAffinity
  /** Rules for scheduling the pod near other pods. */
  podAffinity?: PodAffinity
  /** Rules for scheduling the pod away from other pods. */
  podAntiAffinity?: PodAntiAffinity
}

/** Rules about the labels of nodes. */
export interface NodeAffinity {
  /** Rules that a node must satisfy when the pod is scheduled. */
  requiredDuringSchedulingIgnoredDuringExecution?: NodeSelector
  /**
   * Weighted rules for ranking nodes when the pod is scheduled.
   * @listType atomic
   */
  preferredDuringSchedulingIgnoredDuringExecution?: PreferredSchedulingTerm[]
}

/**
 * Selector of nodes. At least one term must match.
 * @mapType atomic
 */
export interface NodeSelector {
  /**
   * Terms of the selector.
   * @listType atomic
   */
  nodeSelectorTerms: NodeSelectorTerm[]
}

/**
 * Term of a selector of nodes. All requirements must match.
 * @mapType atomic
 */
export interface NodeSelectorTerm {
  /**
   * Requirements on labels of the node.
   * @listType atomic
   */
  matchExpressions?: NodeSelectorRequirement[]
  /**
   * Requirements on fields of the node.
   * @listType atomic
   */
  matchFields?: NodeSelectorRequirement[]
}

/** Requirement on a label or field of a node. */
export interface NodeSelectorRequirement {
  /** Key of the label or name of the field. */
  key: string
  /** Comparison operator: In, NotIn, Exists, DoesNotExist, Gt or Lt. */
  operator: string
  /**
   * Values to compare with.
   * @listType atomic
   */
  values?: string[]
}

/** Weighted preference for nodes. */
export interface PreferredSchedulingTerm {
  /** Weight of the preference, 1 to 100. */
  weight: Int32
  /** Term that preferred nodes match. */
  preference: NodeSelectorTerm
}

/** Rules for scheduling a pod near other pods. */
export interface PodAffinity {
  /**
   * Terms that must be satisfied when the pod is scheduled.
   * @listType atomic
   */
  requiredDuringSchedulingIgnoredDuringExecution?: PodAffinityTerm[]
  /**
   * Weighted terms for ranking nodes when the pod is scheduled.
   * @listType atomic
   */
  preferredDuringSchedulingIgnoredDuringExecution?: WeightedPodAffinityTerm[]
}

/** Rules for scheduling a pod away from other pods. */
export interface PodAntiAffinity {
  /**
   * Terms that must be satisfied when the pod is scheduled.
   * @listType atomic
   */
  requiredDuringSchedulingIgnoredDuringExecution?: PodAffinityTerm[]
  /**
   * Weighted terms for ranking nodes when the pod is scheduled.
   * @listType atomic
   */
  preferredDuringSchedulingIgnoredDuringExecution?: WeightedPodAffinityTerm[]
}

/** Selector of other pods, with the topology in which nodes are near each other. */
export interface PodAffinityTerm {
  /** Label selector for the other pods. */
  labelSelector?: LabelSelector
  /**
   * Namespaces of the other pods.
   * @listType atomic
   */
  namespaces?: string[]
  /** Key of a node label. Nodes with the same value of the label are near each other. */
  topologyKey: string
  /** Label selector for the namespaces of the other pods. */
  namespaceSelector?: LabelSelector
  /**
   * Keys of labels of the pod whose values the other pods must have.
   * @listType atomic
   */
  matchLabelKeys?: string[]
  /**
   * Keys of labels of the pod whose values the other pods must not have.
   * @listType atomic
   */
  mismatchLabelKeys?: string[]
}

/** Weighted pod affinity term. */
export interface WeightedPodAffinityTerm {
  /** Weight of the term, 1 to 100. */
  weight: Int32
  /** Pod affinity term. */
  podAffinityTerm: PodAffinityTerm
}

/** Toleration of taints: allows the pod on nodes with a matching taint. */
export interface Toleration {
  /** Key of the taint. An empty key with the operator Exists matches all taints. */
  key?: string
  /** Comparison operator: Exists or Equal. */
  operator?: string
  /** Value of the taint. */
  value?: string
  /** Effect of the taint. An empty effect matches all effects. */
  effect?: string
  /** Seconds that a NoExecute taint is tolerated. */
  tolerationSeconds?: Int64
}

/** Constraint for spreading pods over topology domains. */
export interface TopologySpreadConstraint {
  /** Maximum difference between the numbers of pods of any two domains. */
  maxSkew: Int32
  /** Key of a node label. Nodes with the same value of the label are one domain. */
  topologyKey: string
  /** Action if the constraint cannot be satisfied: DoNotSchedule or ScheduleAnyway. */
  whenUnsatisfiable: string
  /** Label selector for the pods that are counted. */
  labelSelector?: LabelSelector
  /** Minimum number of domains. */
  minDomains?: Int32
  /** Policy for considering the node affinity of the pod. */
  nodeAffinityPolicy?: string
  /** Policy for considering the taints of nodes. */
  nodeTaintsPolicy?: string
  /**
   * Keys of labels of the pod whose values the counted pods must have.
   * @listType atomic
   */
  matchLabelKeys?: string[]
}
