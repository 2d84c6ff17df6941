import { account } from "@/account/feature";
import { audit } from "@/audit/feature";
import type { Feature } from "@/features/feature";
import { files } from "@/files/feature";
import { groups } from "@/groups/feature";
import { identity } from "@/identity/feature";
import { nodes } from "@/nodes/feature";
import { overview } from "@/overview/feature";
import { people } from "@/people/feature";
import { roles } from "@/roles/feature";
import { runs } from "@/runs/feature";
import { services } from "@/services/feature";
import { settings } from "@/settings/feature";
import { tasks } from "@/tasks/feature";
import { training } from "@/training/feature";
import { users } from "@/users/feature";
import { virtualClusterManagement } from "@/virtual-cluster-management/feature";
import { virtualClusters } from "@/virtual-clusters/feature";

/** Everything that the portal has. Routes, menu, search, kinds of tasks and words are made from this list, in its order. */
export const FEATURES = [
  overview,
  tasks,
  training,
  nodes,
  virtualClusterManagement,
  services,
  runs,
  audit,
  people,
  users,
  groups,
  roles,
  files,
  settings,
  account,
  virtualClusters,
  identity,
] as const satisfies readonly Feature[];
