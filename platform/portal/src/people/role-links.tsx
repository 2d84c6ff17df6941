import { Link } from "@tanstack/react-router";
import type { Schemas } from "@/api/client";
import { useRoleName } from "@/identity/role-name";
import { useMay } from "@/identity/session";
import "./people.css";

/** Roles by name, each leading to its page for who may see it. */
export function RoleLinks({ roles }: { roles: readonly Schemas["RoleReference"][] }) {
  const roleName = useRoleName();
  const may = useMay();
  if (roles.length === 0) return <span className="quiet">–</span>;
  return (
    <ul className="people-links">
      {roles.map((role) => (
        <li key={role.id}>
          {may("roles:read") ? (
            <Link to="/roles/$id" params={{ id: role.id }}>
              {roleName(role)}
            </Link>
          ) : (
            roleName(role)
          )}
        </li>
      ))}
    </ul>
  );
}

/** Groups by name, likewise. */
export function GroupLinks({ groups }: { groups: readonly Schemas["GroupReference"][] }) {
  const may = useMay();
  if (groups.length === 0) return <span className="quiet">–</span>;
  return (
    <ul className="people-links">
      {groups.map(({ id, name }) => (
        <li key={id}>
          {may("groups:read") ? (
            <Link to="/groups/$id" params={{ id }}>
              {name}
            </Link>
          ) : (
            name
          )}
        </li>
      ))}
    </ul>
  );
}
