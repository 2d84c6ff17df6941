// Made from openapi.json by `npm run client`; edits are lost.

export interface paths {
    "/api/v1/about": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read
         * @description Product, version and the cluster's name.
         */
        get: operations["about_read"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/access-tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Access Tokens
         * @description The own access tokens, the newest first; those whose time is over, too, for thirty days.
         */
        get: operations["identity_list_access_tokens"];
        put?: never;
        /**
         * Create Access Token
         * @description A new access token, which is told this once.
         */
        post: operations["identity_create_access_token"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/access-tokens/{token_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete Access Token
         * @description End an access token; streams and downloads that it opened end within seconds.
         */
        delete: operations["identity_delete_access_token"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/access-tokens/options": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Access Token Options
         * @description What a new access token can be given.
         */
        get: operations["identity_access_token_options"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List
         * @description Every write and every refused one, newest first.
         */
        get: operations["audit_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/audit/{record_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read
         * @description One record.
         */
        get: operations["audit_read"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/audit/actors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Actors
         * @description Who may have done something: accounts, and other names that stand in records.
         */
        get: operations["audit_actors"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/audit/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Export
         * @description All records that the filters select, newest first, as CSV; who takes them is a record of its own.
         */
        post: operations["audit_export"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/device-capacity": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read Capacity
         * @description Each device type: how many there are on the machines, and how many are granted to virtual clusters.
         */
        get: operations["virtual_clusters_read_capacity"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/groups": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List
         * @description All groups, by name.
         */
        get: operations["groups_list"];
        put?: never;
        /**
         * Create
         * @description A new group, which has no more rights than whoever makes it holds.
         */
        post: operations["groups_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/groups/{group_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read
         * @description One group.
         */
        get: operations["groups_read"];
        put?: never;
        post?: never;
        /**
         * Delete
         * @description Delete a group; who is in it loses what they hold by it.
         */
        delete: operations["groups_delete"];
        options?: never;
        head?: never;
        /**
         * Update
         * @description Change name or description.
         */
        patch: operations["groups_update"];
        trace?: never;
    };
    "/api/v1/groups/{group_id}/roles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Put Roles
         * @description Set all roles of a group; what flows for who is in it is looked at again at once.
         */
        put: operations["groups_put_roles"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/groups/{group_id}/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Users
         * @description Who is in a group, by name.
         */
        get: operations["groups_users"];
        put?: never;
        /**
         * Add Users
         * @description Put users into a group.
         */
        post: operations["groups_add_users"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/groups/{group_id}/users/{user_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove User
         * @description Take a user out of a group.
         */
        delete: operations["groups_remove_user"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/home/archives": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create
         * @description Make a `.tar.gz` of a directory of the home; links in it stay links, other odd things are left out.
         */
        post: operations["archives_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/home/files": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List
         * @description The caller's home, to pick code from; a first look makes it, with the examples.
         */
        get: operations["homes_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/home/files/content": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read
         * @description One file of the caller's home.
         */
        get: operations["homes_read"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/images": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List
         * @description The images that were imported; any of them can be the `image` of a task.
         */
        get: operations["images_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/monitoring/charts/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read Chart
         * @description One of the known charts, for all nodes or one.
         */
        get: operations["monitoring_read_chart"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/nodes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List
         * @description Every machine with its state, its devices and who uses them.
         */
        get: operations["nodes_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/operations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List
         * @description Long work of the platform, newest first.
         */
        get: operations["operations_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/operations/{operation_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read
         * @description An operation with its result and events.
         */
        get: operations["operations_read"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/operations/{operation_id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel
         * @description It shall not go on; what it left half done is removed.
         */
        post: operations["operations_cancel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/operations/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Stream
         * @description Every change of an operation as it happens. After (re)connecting (`hello`), read the list again.
         */
        get: operations["operations_stream"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/overview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read
         * @description What runs, what is free, what needs attention.
         */
        get: operations["overview_read"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/permissions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Permissions
         * @description What roles can grant.
         */
        get: operations["roles_permissions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/ports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Ports
         * @description What listens on nodes and as Services, who may come there, and what listens without a row of the table.
         */
        get: operations["services_list_ports"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/registrations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Register
         * @description Make an account for oneself. It can sign in, and may do nothing until an administrator gives it a role.
         */
        post: operations["identity_register"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/roles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List
         * @description All roles, by name.
         */
        get: operations["roles_list"];
        put?: never;
        /**
         * Create
         * @description A new role, which grants no more than whoever makes it holds.
         */
        post: operations["roles_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/roles/{role_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read
         * @description One role.
         */
        get: operations["roles_read"];
        put?: never;
        post?: never;
        /**
         * Delete
         * @description Delete a role of one's own making; whoever holds it loses it.
         */
        delete: operations["roles_delete"];
        options?: never;
        head?: never;
        /**
         * Update
         * @description Change name, description or grants; what flows for its holders is looked at again at once.
         */
        patch: operations["roles_update"];
        trace?: never;
    };
    "/api/v1/roles/{role_id}/groups": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Groups
         * @description Which groups have it, by name.
         */
        get: operations["roles_groups"];
        put?: never;
        /**
         * Give To Groups
         * @description Give it to groups.
         */
        post: operations["roles_give_to_groups"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/roles/{role_id}/groups/{group_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Take From Group
         * @description Take it from a group.
         */
        delete: operations["roles_take_from_group"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/roles/{role_id}/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Users
         * @description To whom it was given, by name; not those who hold it by a group.
         */
        get: operations["roles_users"];
        put?: never;
        /**
         * Give To Users
         * @description Give it to users.
         */
        post: operations["roles_give_to_users"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/roles/{role_id}/users/{user_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Take From User
         * @description Take it from a user.
         */
        delete: operations["roles_take_from_user"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Runs
         * @description Runs of the installer, newest first.
         */
        get: operations["services_list_runs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{run_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read Run
         * @description One run with its phases.
         */
        get: operations["services_read_run"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/runs/{run_id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow Run
         * @description The journal of a run as it grows.
         */
        get: operations["services_follow_run"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/services": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List
         * @description Every service with its state.
         */
        get: operations["services_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/services/{name}/logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read Log
         * @description The end of a service's log.
         */
        get: operations["services_read_log"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/services/{name}/restart": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Restart
         * @description Render the configuration again, restart, wait for health, and say what was done.
         */
        post: operations["services_restart"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read
         * @description Who is signed in, and what they may do; by an access token, what that opens, and when it ends.
         */
        get: operations["identity_read"];
        put?: never;
        /**
         * Sign In
         * @description Sign in; the answer sets the cookie `atoll_session`, and `atoll_session_device` for the limit of guesses.
         */
        post: operations["identity_sign_in"];
        /**
         * Sign Out
         * @description Sign out: the session ends on the server and the cookie is removed.
         */
        delete: operations["identity_sign_out"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/session/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Change Password
         * @description Change the own password; every other session of the user ends and this one gets a new cookie.
         *
         *     Access tokens stay unless they are to end, too, and so do other ways into the account.
         */
        post: operations["identity_change_password"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/session/proof": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Proofs
         * @description By what one proves who sits there, and whether that is needed: for what opens other ways into the account.
         */
        get: operations["ways_in_proofs"];
        put?: never;
        /**
         * Prove
         * @description Prove by the password who sits there: for some minutes it is not asked for what opens other ways in.
         */
        post: operations["identity_prove"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/session/ways": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List
         * @description By which ways one signs in, and by which one could.
         */
        get: operations["ways_in_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/session/ways/{way}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Come Back
         * @description Tell with what the browser came back: sign in, learn that nobody is known, or have a link that was asked for.
         */
        post: operations["ways_in_come_back"];
        /**
         * Unlink
         * @description End a link of the own account.
         */
        delete: operations["ways_in_unlink"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/session/ways/{way}/account": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Register
         * @description Make an account for oneself that is linked with who one is at the provider, and sign in to it.
         */
        post: operations["ways_in_register"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/session/ways/{way}/link": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Link
         * @description Begin to link the own account with one at a provider; what comes back from there goes where a sign-in goes.
         */
        post: operations["ways_in_link"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/session/ways/{way}/prove": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Prove By
         * @description Begin to sign in anew by a linked provider; what comes back from there goes where a sign-in goes.
         */
        post: operations["ways_in_prove_by"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/session/ways/{way}/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start
         * @description Begin to sign in by a provider; the answer says where the browser goes, and sets a cookie that it comes with.
         */
        post: operations["ways_in_start"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Sessions
         * @description The own sessions that have not ended, the newest first.
         */
        get: operations["identity_list_sessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/{session_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End Session
         * @description End an own session; its streams and downloads end within seconds.
         */
        delete: operations["identity_end_session"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/end-others": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End Other Sessions
         * @description End all own sessions but this one; streams and downloads of theirs end within seconds.
         */
        post: operations["identity_end_other_sessions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read
         * @description What the caller has set, and what holds without that.
         */
        get: operations["settings_read"];
        /**
         * Change
         * @description Use another virtual cluster, look again in other intervals, see another language, look or time zone.
         */
        put: operations["settings_change"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/task-counts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count
         * @description How many tasks of each kind are in each state; a kind without tasks is left out.
         */
        get: operations["tasks_count"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tasks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List
         * @description Tasks, newest first.
         */
        get: operations["tasks_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tasks/{task_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read
         * @description A task in full.
         */
        get: operations["tasks_read"];
        put?: never;
        post?: never;
        /**
         * Delete
         * @description Remove an ended task from all lists; its files stay in the owner's home.
         */
        delete: operations["tasks_delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tasks/{task_id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Events
         * @description The time line of states with durations, and every event.
         */
        get: operations["tasks_list_events"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tasks/{task_id}/files": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Files
         * @description The output directory of a task.
         */
        get: operations["tasks_list_files"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tasks/{task_id}/files/content": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read File
         * @description One output file.
         */
        get: operations["tasks_read_file"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tasks/{task_id}/log": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow Log
         * @description The log of one replica, followed live. The id of each event is the offset to go on from.
         */
        get: operations["tasks_follow_log"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tasks/{task_id}/log/content": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read Log
         * @description The whole log of one replica as a file.
         */
        get: operations["tasks_read_log"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tasks/{task_id}/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read Metrics
         * @description Scalars that the program reported, and its use of resources.
         */
        get: operations["tasks_read_metrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tasks/{task_id}/stop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Stop
         * @description Ask for a stop; asking twice is asking once.
         */
        post: operations["tasks_stop"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tasks/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Watch
         * @description Every change of a task as it happens. After (re)connecting (`hello`), read the list again.
         */
        get: operations["tasks_watch"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/trainings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create
         * @description Create a training: a task that queues and starts as soon as it can.
         */
        post: operations["training_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/trainings/{task_id}/definition": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read Definition
         * @description What was asked for, with every default filled in; the `definition` of its task, typed.
         */
        get: operations["training_read_definition"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/trainings/estimate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Estimate
         * @description What the training would use, whether it starts now, and what forbids it. Changes nothing.
         */
        post: operations["training_estimate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/trainings/options": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Options
         * @description Frameworks, virtual clusters with their devices and limits, examples.
         */
        get: operations["training_list_options"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/user-management": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Management
         * @description How many users, groups and roles there are.
         */
        get: operations["users_management"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List
         * @description All accounts, by name.
         */
        get: operations["users_list"];
        put?: never;
        /**
         * Create
         * @description A new account, which must change its password at first sign-in.
         */
        post: operations["users_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/{user_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read
         * @description One account.
         */
        get: operations["users_read"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Update
         * @description Change the full name, the phone number, the e-mail address.
         */
        patch: operations["users_update"];
        trace?: never;
    };
    "/api/v1/users/{user_id}/access-tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Access Tokens
         * @description The access tokens of a user, the newest first.
         */
        get: operations["users_access_tokens"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/{user_id}/access-tokens/{token_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End Access Token
         * @description End an access token of a user; streams and downloads that it opened end within seconds.
         */
        delete: operations["users_end_access_token"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/{user_id}/delete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Delete
         * @description Delete an account: nobody gets its name or uid again, and the files stay where they are.
         */
        post: operations["users_delete"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/{user_id}/disable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Disable
         * @description Nobody signs in as this user any more; sessions, access tokens, streams and downloads end within seconds.
         */
        post: operations["users_disable"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/{user_id}/enable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Enable
         * @description The user may sign in again, with the password of before.
         */
        post: operations["users_enable"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/{user_id}/end-sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End Sessions
         * @description Sign the user out everywhere; streams and downloads end within seconds. Access tokens stay.
         */
        post: operations["users_end_sessions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/{user_id}/groups": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Put Groups
         * @description Set all groups of a user; what flows for the user is looked at again at once.
         */
        put: operations["users_put_groups"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/{user_id}/reset-password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reset Password
         * @description A one-time password, which is told this once and must be changed at first; sessions and access tokens end.
         *
         *     Links with providers end, too, unless they are to stay. Who holds an access token alone signs in as nobody else by
         *     it.
         */
        post: operations["users_reset_password"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/{user_id}/roles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Put Roles
         * @description Set all roles of a user; what flows for the user is looked at again at once.
         */
        put: operations["users_put_roles"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/{user_id}/ways": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Of User
         * @description By which ways a user signs in.
         */
        get: operations["ways_in_of_user"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/{user_id}/ways/{way}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Unlink User
         * @description End a link of a user's account, the only way into it, too.
         */
        delete: operations["ways_in_unlink_user"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create Several
         * @description Several new accounts with the same roles, groups and virtual clusters; all are made, or none.
         */
        post: operations["users_create_several"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Export
         * @description All accounts that the filters select as CSV, with the columns of an import; it is audited.
         */
        post: operations["users_export"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Import
         * @description Accounts from a CSV file; all are made, or none. Their initial passwords are told in this answer only.
         */
        post: operations["users_import"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/import/template": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Import Template
         * @description The first line of a file for an import.
         */
        get: operations["users_import_template"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/virtual-clusters": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List
         * @description The caller's virtual clusters; all of them for administrators.
         */
        get: operations["virtual_clusters_list"];
        put?: never;
        /**
         * Create
         * @description A new virtual cluster, without members; its tasks wait until the engine has it.
         */
        post: operations["virtual_clusters_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/virtual-clusters/{cluster_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read
         * @description One of the caller's virtual clusters; any for administrators.
         */
        get: operations["virtual_clusters_read"];
        put?: never;
        post?: never;
        /**
         * Delete
         * @description Delete it, while no task waits or runs in it. Its members lose it at once; it is gone once the engine says so.
         */
        delete: operations["virtual_clusters_delete"];
        options?: never;
        head?: never;
        /**
         * Edit
         * @description More of anything at any time; less only while no task waits or runs in it.
         */
        patch: operations["virtual_clusters_edit"];
        trace?: never;
    };
    "/api/v1/virtual-clusters/{cluster_id}/extend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Extend
         * @description More hours for the tasks of this virtual cluster, at any time; those that run have them, too.
         */
        post: operations["virtual_clusters_extend"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/virtual-clusters/{cluster_id}/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Members
         * @description Its groups, then all its users, those of its groups included.
         */
        get: operations["virtual_clusters_list_members"];
        put?: never;
        /**
         * Add Members
         * @description Make users and groups members.
         */
        post: operations["virtual_clusters_add_members"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/virtual-clusters/{cluster_id}/members/remove": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Remove Members
         * @description Take users and groups out; who is a member in another way stays one, and is named.
         */
        post: operations["virtual_clusters_remove_members"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /**
         * About
         * @description Product, version and cluster.
         */
        About: {
            /** Cluster */
            cluster: string;
            /** Engine */
            engine: string;
            /** Product */
            product: string;
            /**
             * Registration
             * @description Whether people may make accounts for themselves
             */
            registration: boolean;
            /** Version */
            version: string;
            /**
             * Ways In
             * @description Ways to sign in beside the password
             */
            ways_in: components["schemas"]["WayName"][];
        };
        /**
         * AccessToken
         * @description A token, but for itself: that was told when it was made, and only its digest is kept.
         */
        AccessToken: {
            /**
             * Created At
             * Format: date-time
             * @description RFC 3339, always with its offset
             */
            created_at: string;
            /**
             * Expires At
             * Format: date-time
             * @description RFC 3339, always with its offset
             */
            expires_at: string;
            /**
             * Grants
             * @description Its scope: kinds of permissions, and single ones. It opens what its owner may do of these
             */
            grants: (components["schemas"]["PermissionKind"] | components["schemas"]["Permission"])[];
            /** Id */
            id: string;
            /**
             * Last Used Address
             * @description Empty while it was not used
             */
            last_used_address: string;
            /**
             * Last Used At
             * @description To the minute
             */
            last_used_at: string | null;
            /** Name */
            name: string;
            /**
             * Read Only
             * @description Whether it changes nothing, whatever its scope is
             */
            read_only: boolean;
        };
        /**
         * AccessTokenCreate
         * @description A new token; nobody gives one more than they may do themselves.
         */
        AccessTokenCreate: {
            /**
             * Days
             * @description Until it ends; how many there may be, `/access-tokens/options` says
             */
            days: number;
            /** Grants */
            grants: (components["schemas"]["PermissionKind"] | components["schemas"]["Permission"])[];
            /** Name */
            name: string;
            /**
             * Read Only
             * @default false
             */
            read_only?: boolean;
        };
        /**
         * AccessTokenOptions
         * @description What a token can be given by who asks, and the limits of tokens.
         */
        AccessTokenOptions: {
            /**
             * Kinds
             * @description Of which the caller holds all
             */
            kinds: components["schemas"]["GrantedKind"][];
            /**
             * Most
             * @description Tokens of one user that have not ended
             */
            most: number;
            /** Most Days */
            most_days: number;
            /**
             * Permissions
             * @description Which the caller holds
             */
            permissions: components["schemas"]["Permission"][];
        };
        /**
         * Account
         * @description A user as administrators see it.
         */
        Account: {
            /**
             * Access Tokens
             * @description Access tokens that have not ended
             */
            access_tokens: number;
            /** Active */
            active: boolean;
            /**
             * Created At
             * Format: date-time
             * @description RFC 3339, always with its offset
             */
            created_at: string;
            /**
             * Email
             * @description Empty when it is not known; in answers to changes also for who does not read users
             */
            email: string;
            /** Groups */
            groups: components["schemas"]["GroupReference"][];
            /**
             * Home
             * @description Where the files are on the storage; they stay when the account is deleted
             */
            home: string;
            /** Id */
            id: string;
            /**
             * Must Change Password
             * @description The password was given by somebody else
             */
            must_change_password: boolean;
            /** Name */
            name: string;
            /** Nickname */
            nickname: string;
            /**
             * Phone
             * @description Empty when it is not known; in answers to changes also for who does not read users
             */
            phone: string;
            /**
             * Protected
             * @description The account of the installation: only its password can be changed
             */
            protected: boolean;
            /**
             * Roles
             * @description Those that were given to this user; those of groups come on top
             */
            roles: components["schemas"]["RoleReference"][];
            /**
             * Sessions
             * @description Browsers and programs that are signed in
             */
            sessions: number;
            /**
             * Uid
             * @description The POSIX uid of this user's processes and files
             */
            uid: number;
            /**
             * Unfinished Tasks
             * @description They go on when the account is disabled
             */
            unfinished_tasks: number;
            /**
             * Version
             * @description For If-Match
             */
            version: number;
            /**
             * Virtual Clusters
             * @description Those that this user is a member of
             */
            virtual_clusters: components["schemas"]["VirtualClusterReference"][];
        };
        /**
         * ArchiveCreate
         * @description What shall become an archive.
         */
        ArchiveCreate: {
            /**
             * Path
             * @description A directory of the home, for example the output directory of a task
             */
            path: string;
            /**
             * Target
             * @description The archive; without it: beside the directory, named like it with .tar.gz
             */
            target?: string | null;
        };
        /**
         * Attempt
         * @description One execution of a task.
         */
        Attempt: {
            /** Finished At */
            finished_at: string | null;
            /** Number */
            number: number;
            /** Replicas */
            replicas: components["schemas"]["Replica"][];
            /** Started At */
            started_at: string | null;
        };
        /**
         * AuditActor
         * @description Somebody whose records can be asked for.
         */
        AuditActor: {
            /** Name */
            name: string;
            /**
             * Nickname
             * @description Empty for who has no account, as an operator on the command line
             */
            nickname: string;
        };
        /**
         * AuditActors
         * @description The first of those that were looked for.
         */
        AuditActors: {
            /** Items */
            items: components["schemas"]["AuditActor"][];
        };
        /**
         * AuditRecord
         * @description One write, or one attempt at one.
         */
        AuditRecord: {
            /** Action */
            action: string;
            actor: components["schemas"]["UserReference"] | null;
            /** Actor Name */
            actor_name: string;
            /** Address */
            address: string;
            /**
             * At
             * Format: date-time
             * @description RFC 3339, always with its offset
             */
            at: string;
            /** Details */
            details: {
                [key: string]: unknown;
            };
            /** Id */
            id: string;
            /** Object Id */
            object_id: string;
            /** Object Kind */
            object_kind: string;
            /** Object Name */
            object_name: string;
            /**
             * Outcome
             * @enum {string}
             */
            outcome: "done" | "denied" | "failed";
            /** Request Id */
            request_id: string;
        };
        /**
         * Chart
         * @description A named chart with its lines.
         */
        Chart: {
            /** Name */
            name: string;
            /** Series */
            series: components["schemas"]["Series"][];
            /**
             * Unit
             * @enum {string}
             */
            unit: "percent" | "bytes" | "bytes_per_second" | "cores" | "count";
        };
        /**
         * ChartName
         * @description What can be drawn.
         * @enum {string}
         */
        ChartName: "node_cpu" | "node_memory" | "node_network_received" | "node_network_sent" | "node_disk_read" | "node_disk_written" | "device_utilisation" | "device_memory";
        /**
         * ClusterMember
         * @description A user or a group of a virtual cluster.
         */
        ClusterMember: {
            /**
             * Active
             * @description Whether the account may sign in; true for a group
             */
            active: boolean;
            /**
             * Direct
             * @description Was added by itself; else a member through groups alone
             */
            direct: boolean;
            /**
             * Groups
             * @description Member groups that this user is in
             */
            groups: components["schemas"]["MemberGroup"][];
            /** Id */
            id: string;
            /**
             * Kind
             * @enum {string}
             */
            kind: "group" | "user";
            /** Name */
            name: string;
            /**
             * Nickname
             * @description Of a user; empty for a group
             */
            nickname: string;
            /**
             * Unfinished Tasks
             * @description Tasks of this user in the virtual cluster that wait or run; 0 for a group
             */
            unfinished_tasks: number;
            /**
             * Users
             * @description Active accounts in a group; 1 for a user
             */
            users: number;
        };
        /**
         * ClusterOption
         * @description A virtual cluster that the caller may use.
         */
        ClusterOption: {
            /** Devices */
            devices: components["schemas"]["DeviceOption"][];
            /**
             * Max Nodes
             * @description Nodes that a task without a device type may run on
             */
            max_nodes: number;
            /** Name */
            name: string;
            /**
             * Privileged
             * @description Whether a job of the caller may be root of its container there
             */
            privileged: boolean;
        };
        /**
         * DeviceCapacity
         * @description Devices of one type in the whole cluster.
         */
        DeviceCapacity: {
            /**
             * Away
             * @description Of these, on machines that are down or cordoned: they count as not there
             */
            away: number;
            /**
             * Free
             * @description There, and granted to nobody; never below 0
             */
            free: number;
            /**
             * Given
             * @description Granted to all virtual clusters together
             */
            given: number;
            /**
             * Overcommitted
             * @description More is granted than is there
             */
            overcommitted: boolean;
            /**
             * Total
             * @description On machines that are for tasks, whatever state those are in
             */
            total: number;
            /** Type */
            type: string;
        };
        /**
         * DeviceOption
         * @description A device type as the chosen virtual cluster offers it.
         */
        DeviceOption: {
            /** Arch */
            arch: string;
            /**
             * Counts
             * @description Devices per node that a single-node task may ask for
             */
            counts: number[];
            /**
             * Distributed Counts
             * @description Devices per node that a distributed task may ask for
             */
            distributed_counts: number[];
            /** Free */
            free: number;
            /** Kind */
            kind: string;
            limits: components["schemas"]["Limits"];
            /**
             * Max Nodes
             * @description Nodes that a task with devices of this type may run on
             */
            max_nodes: number;
            /**
             * Max Nodes Without Devices
             * @description Nodes that a task with 0 devices may run on
             */
            max_nodes_without_devices: number;
            /** Max Per User */
            max_per_user: number;
            /** Total */
            total: number;
            /** Type */
            type: string;
            /** Vendor */
            vendor: string;
        };
        /**
         * DeviceSlot
         * @description One device of a node and who uses it.
         */
        DeviceSlot: {
            /** Index */
            index: number;
            owner: components["schemas"]["UserReference"] | null;
            /** Task Id */
            task_id: string | null;
            /** Task Name */
            task_name: string | null;
        };
        /**
         * DeviceTypeName
         * @description What people call a device type, wherever an answer names it by `type`.
         */
        DeviceTypeName: {
            /** Arch */
            arch: string;
            /**
             * Card
             * @description One card, for example GPU
             */
            card: string;
            /**
             * Title
             * @description Beside it the architecture is told
             */
            title: string;
            /** Type */
            type: string;
        };
        /**
         * DeviceUse
         * @description Devices of one type: how many there are for the virtual cluster and how many are taken.
         */
        DeviceUse: {
            /** Free */
            free: number;
            /** Total */
            total: number;
            /** Type */
            type: string;
            /** Used */
            used: number;
        };
        /**
         * Estimate
         * @description The answer to: what will be used, does it start now, what forbids it?
         */
        Estimate: {
            /**
             * Ahead
             * @description Tasks that wait before this one
             */
            ahead: number;
            /** Allowed */
            allowed: boolean;
            /**
             * Free
             * @description Devices of this type that are free in the virtual cluster
             */
            free: number;
            /** Problems */
            problems: components["schemas"]["FieldError"][];
            reason: components["schemas"]["Reason"];
            /**
             * Starts
             * @enum {string}
             */
            starts: "now" | "waits" | "never";
            /** Total */
            total: number;
            uses: components["schemas"]["Uses"] | null;
        };
        /**
         * Example
         * @description A program that every home has.
         */
        Example: {
            /** Code Directory */
            code_directory: string;
            /** Distributed */
            distributed: boolean;
            /** Framework */
            framework: string;
            /** Name */
            name: string;
            /** Start File */
            start_file: string;
        };
        /**
         * FieldError
         * @description One mistake at one field of the request.
         */
        FieldError: {
            /** Code */
            code: string;
            /**
             * Field
             * @description Dotted path inside the request, empty for the whole
             */
            field: string;
            /** Message */
            message: string;
            /** Params */
            params?: {
                [key: string]: unknown;
            };
        };
        /**
         * FileEntry
         * @description One thing in a directory.
         */
        FileEntry: {
            /**
             * Kind
             * @enum {string}
             */
            kind: "file" | "directory" | "link" | "other";
            /**
             * Modified At
             * Format: date-time
             */
            modified_at: string;
            /** Name */
            name: string;
            /**
             * Path
             * @description Relative to the root of the listing
             */
            path: string;
            /** Size Bytes */
            size_bytes: number;
        };
        /**
         * Framework
         * @description A preset image: the environment in which a program runs.
         */
        Framework: {
            /**
             * Distributed
             * @description Whether its library trains over several nodes
             */
            distributed: boolean;
            /** Image */
            image: string;
            /** Library */
            library: string;
            /** Name */
            name: string;
            /** Title */
            title: string;
        };
        /**
         * GrantedKind
         * @description A kind of permissions.
         */
        GrantedKind: {
            name: components["schemas"]["PermissionKind"];
            /**
             * Permissions
             * @description What it comes to in this version
             */
            permissions: components["schemas"]["Permission"][];
        };
        /**
         * GrantedPermission
         * @description A single permission.
         */
        GrantedPermission: {
            /**
             * Kinds
             * @description By which it is granted, too
             */
            kinds: components["schemas"]["PermissionKind"][];
            /** Name */
            name: components["schemas"]["Permission"];
        };
        /**
         * Group
         * @description Users who hold roles together.
         */
        Group: {
            /**
             * Created At
             * Format: date-time
             * @description RFC 3339, always with its offset
             */
            created_at: string;
            /** Description */
            description: string;
            /** Id */
            id: string;
            /** Name */
            name: string;
            /** Roles */
            roles: components["schemas"]["RoleReference"][];
            /** User Count */
            user_count: number;
            /**
             * Version
             * @description For If-Match
             */
            version: number;
            /**
             * Virtual Clusters
             * @description Those that this group is a member of
             */
            virtual_clusters: components["schemas"]["VirtualClusterReference"][];
        };
        /**
         * GroupCreate
         * @description A new group.
         */
        GroupCreate: {
            /** Description */
            description: string;
            /** Name */
            name: string;
            /** Roles */
            roles: string[];
            /** Users */
            users?: string[];
        };
        /**
         * GroupReference
         * @description A group by name.
         */
        GroupReference: {
            /** Id */
            id: string;
            /** Name */
            name: string;
        };
        /**
         * GroupRoles
         * @description All roles that the group is to have.
         */
        GroupRoles: {
            /** Roles */
            roles: string[];
        };
        /**
         * Groups
         * @description To which it is given.
         */
        Groups: {
            /** Groups */
            groups: string[];
        };
        /**
         * GroupUpdate
         * @description What is to be different; what is left out stays.
         */
        GroupUpdate: {
            /** Description */
            description?: string | null;
            /** Name */
            name?: string | null;
        };
        /**
         * Image
         * @description An imported image.
         */
        Image: {
            /** Architectures */
            architectures: string[];
            /** Digest */
            digest: string;
            /**
             * Reference
             * @description The whole name, as a task names it
             */
            reference: string;
            /** Repository */
            repository: string;
            /**
             * Size Bytes
             * @description As it lies in the registry; layers may be compressed
             */
            size_bytes: number;
            /** Tag */
            tag: string;
        };
        /**
         * Images
         * @description All of them, by name and tag.
         */
        Images: {
            /** Items */
            items: components["schemas"]["Image"][];
        };
        /**
         * ImportLine
         * @description One line of the file, as it is understood.
         */
        ImportLine: {
            /** Email */
            email: string;
            /**
             * Errors
             * @description The field is the column, empty for the line as a whole
             */
            errors: components["schemas"]["FieldError"][];
            /** Groups */
            groups: string[];
            /**
             * Line
             * @description Where it begins in the file, from 1
             */
            line: number;
            /** Name */
            name: string;
            /** Nickname */
            nickname: string;
            /** Phone */
            phone: string;
            /**
             * Roles
             * @description By their names, as they are called here
             */
            roles: string[];
            /**
             * State
             * @enum {string}
             */
            state: "new" | "existing" | "wrong";
            /** Virtual Clusters */
            virtual_clusters: string[];
        };
        /**
         * InitialPassword
         * @description It is told this once and kept as a hash only; it must be changed at the first sign-in.
         */
        InitialPassword: {
            /** Name */
            name: string;
            /** Password */
            password: string;
        };
        /**
         * KindCounts
         * @description How many tasks of a kind are in each state; states without tasks are left out.
         */
        KindCounts: {
            /** Kind */
            kind: components["schemas"]["TaskKind"];
            /** States */
            states: {
                [key: string]: number;
            };
        };
        /**
         * Limits
         * @description What one replica may ask for: absolute values of its CPU and memory limit, and the limit of its node's disk.
         */
        Limits: {
            ceiling: components["schemas"]["Resources"];
            default: components["schemas"]["Resources"];
            floor: components["schemas"]["Resources"];
            /**
             * Local Disk
             * @description What a replica may write to its node's own disk; it cannot be chosen
             * @default 20Gi
             */
            local_disk?: string;
            /**
             * Local Disk Request
             * @description What of it is set aside for a replica
             * @default 0
             */
            local_disk_request?: string;
        };
        /**
         * LinkedWay
         * @description A way into an account.
         */
        LinkedWay: {
            /**
             * Label
             * @description What the user is called there; nothing while it is not linked
             */
            label: string | null;
            /** Linked At */
            linked_at: string | null;
            /**
             * Offered
             * @description Whether this installation has it
             */
            offered: boolean;
            /** Used At */
            used_at: string | null;
            way: components["schemas"]["WayName"];
        };
        /**
         * Listing
         * @description A directory; `next_cursor` is set when there is more.
         */
        Listing: {
            /** Items */
            items: components["schemas"]["FileEntry"][];
            /**
             * Location
             * @description Where it lies for a program in a task, for example /home/ada/tasks/…/output
             */
            location: string;
            /** Next Cursor */
            next_cursor?: string | null;
            /** Path */
            path: string;
        };
        /**
         * LogEnd
         * @description Data of the `end` event: nothing more will come.
         */
        LogEnd: {
            /** Exit Code */
            exit_code: number | null;
            state: components["schemas"]["State"];
        };
        /**
         * LogLines
         * @description Data of a `log` event: whole or partial text in order; the event's id is the byte offset after it.
         */
        LogLines: {
            /** Offset */
            offset: number;
            /** Text */
            text: string;
        };
        /**
         * MemberGroup
         * @description A group by name.
         */
        MemberGroup: {
            /** Id */
            id: string;
            /** Name */
            name: string;
        };
        /**
         * MembersAdd
         * @description Who becomes a member; who is one already stays it.
         */
        MembersAdd: {
            /**
             * Groups
             * @description Ids of groups; who joins or leaves them does so here, too
             */
            groups?: string[];
            /**
             * Users
             * @description Ids of users
             */
            users?: string[];
        };
        /**
         * MembersAdded
         * @description What was done.
         */
        MembersAdded: {
            /**
             * Groups
             * @description Groups that had not been added before
             */
            groups: number;
            /**
             * Members
             * @description Of the virtual cluster, now
             */
            members: number;
            /**
             * Users
             * @description Users who had not been added before
             */
            users: number;
        };
        /**
         * MembersRemove
         * @description Who is taken out; who was not added is left alone.
         */
        MembersRemove: {
            /**
             * Groups
             * @description Ids of groups; who joins or leaves them does so here, too
             */
            groups?: string[];
            /**
             * Stop Tasks
             * @description Stop the tasks of those who are members in no other way; else there must be none
             * @default false
             */
            stop_tasks?: boolean;
            /**
             * Users
             * @description Ids of users
             */
            users?: string[];
        };
        /**
         * MembersRemoved
         * @description What was done, and for whom nothing changes.
         */
        MembersRemoved: {
            /**
             * Groups
             * @description Groups that had been added
             */
            groups: number;
            /**
             * Members
             * @description Of the virtual cluster, now
             */
            members: number;
            /**
             * Still Members
             * @description Who stays one in another way; of many, the first
             */
            still_members: components["schemas"]["ClusterMember"][];
            /** Still Members Count */
            still_members_count: number;
            /** Stopped Tasks */
            stopped_tasks: number;
            /**
             * Users
             * @description Users who had been added
             */
            users: number;
        };
        /**
         * Mode
         * @description `batch` ends by itself; `service` has readiness and never finishes.
         * @enum {string}
         */
        Mode: "batch" | "service";
        /**
         * NewAccessToken
         * @description The token itself, which is told this once.
         */
        NewAccessToken: {
            /**
             * Created At
             * Format: date-time
             * @description RFC 3339, always with its offset
             */
            created_at: string;
            /**
             * Expires At
             * Format: date-time
             * @description RFC 3339, always with its offset
             */
            expires_at: string;
            /**
             * Grants
             * @description Its scope: kinds of permissions, and single ones. It opens what its owner may do of these
             */
            grants: (components["schemas"]["PermissionKind"] | components["schemas"]["Permission"])[];
            /** Id */
            id: string;
            /**
             * Last Used Address
             * @description Empty while it was not used
             */
            last_used_address: string;
            /**
             * Last Used At
             * @description To the minute
             */
            last_used_at: string | null;
            /** Name */
            name: string;
            /**
             * Read Only
             * @description Whether it changes nothing, whatever its scope is
             */
            read_only: boolean;
            /**
             * Token
             * @description For `Authorization: Bearer …`
             */
            token: string;
        };
        /**
         * NewAccount
         * @description What an account could be called that somebody makes now.
         */
        NewAccount: {
            /**
             * Label
             * @description What they are called at the provider
             */
            label: string;
            /** Name */
            name: string;
            /** Nickname */
            nickname: string;
        };
        /**
         * NewUser
         * @description Somebody who gets an account, with the password that the administrator types: it must be changed at first.
         */
        NewUser: {
            /**
             * Email
             * @default
             */
            email?: string;
            /** Name */
            name: string;
            /** Nickname */
            nickname: string;
            /**
             * Password
             * Format: password
             * @description At least 10 characters
             */
            password: string;
            /**
             * Phone
             * @default
             */
            phone?: string;
        };
        /**
         * Node
         * @description A machine of the cluster.
         */
        Node: {
            /** Address */
            address: string;
            /** Arch */
            arch: string;
            /** Devices */
            devices: components["schemas"]["NodeDevices"][];
            /**
             * Joined At
             * Format: date-time
             * @description RFC 3339, always with its offset
             */
            joined_at: string;
            /** Kernel */
            kernel: string;
            /** Kubelet */
            kubelet: string;
            /** Name */
            name: string;
            /** Os */
            os: string;
            reason: components["schemas"]["Reason"] | null;
            /** Roles */
            roles: ("master" | "worker" | "storage")[];
            /** Runtime */
            runtime: string;
            /**
             * State
             * @enum {string}
             */
            state: "ready" | "not_ready" | "unknown" | "cordoned";
            /**
             * State Since
             * Format: date-time
             * @description RFC 3339, always with its offset
             */
            state_since: string;
            use: components["schemas"]["NodeUse"];
        };
        /**
         * NodeCounts
         * @description Machines, for administrators.
         */
        NodeCounts: {
            /** Ready */
            ready: number;
            /** Total */
            total: number;
        };
        /**
         * NodeDevices
         * @description The devices of one type in a node.
         */
        NodeDevices: {
            /**
             * Exact
             * @description Whether the indices of `slots` are the physical ones
             */
            exact: boolean;
            /** Resource */
            resource: string;
            /**
             * Slots
             * @description Which physical device a task holds is known to the engine only in part
             */
            slots: components["schemas"]["DeviceSlot"][];
            /** Total */
            total: number;
            /** Type */
            type: string;
            /** Used */
            used: number;
        };
        /**
         * Nodes
         * @description All machines.
         */
        Nodes: {
            /** Items */
            items: components["schemas"]["Node"][];
            /**
             * Seen At
             * Format: date-time
             * @description RFC 3339, always with its offset
             */
            seen_at: string;
        };
        /**
         * NodeUse
         * @description What is asked for and what is there.
         */
        NodeUse: {
            /** Cpu Cores */
            cpu_cores: number;
            /** Cpu Requested */
            cpu_requested: number;
            /** Memory Bytes */
            memory_bytes: number;
            /** Memory Requested */
            memory_requested: number;
            /** Pods */
            pods: number;
            /** Pods Max */
            pods_max: number;
        };
        /**
         * OneTimePassword
         * @description It is told this once and kept as a hash only; it must be changed at the first sign-in.
         */
        OneTimePassword: {
            account: components["schemas"]["Account"];
            /** Password */
            password: string;
            /**
             * Ways
             * @description The ways in whose links were ended
             */
            ways: components["schemas"]["WayName"][];
        };
        /**
         * OpenNetwork
         * @description Where tasks are let out to, beside each other and the names of the cluster.
         */
        OpenNetwork: {
            /**
             * Network
             * @description IPv4, for example 10.20.0.0/16; what of it is the cluster itself stays closed
             */
            network: string;
            /** Ports */
            ports: components["schemas"]["OpenPorts"][];
        };
        /**
         * OpenPort
         * @description What listens on nodes or as a Service, and who may come there; of pods `callers` alone, where it names any.
         */
        OpenPort: {
            /**
             * Binds
             * @enum {string}
             */
            binds: "node" | "loopback" | "pod network" | "node, forwarded";
            /** Callers */
            callers: string[];
            /**
             * On
             * @enum {string}
             */
            on: "all" | "masters" | "storage" | "registry";
            /** Ports */
            ports: string;
            /** Program */
            program: string;
            /**
             * Protocol
             * @enum {string}
             */
            protocol: "tcp" | "udp";
            /**
             * Sensitive
             * @description Meant for parts of the cluster and administrators, whoever may come as it is set
             * @default false
             */
            sensitive?: boolean;
            /** What */
            what: string;
            /** Who */
            who: ("everybody" | "administrators" | "nodes" | "masters" | "storage" | "pods" | "tasks")[];
            /** Who Ipv6 */
            who_ipv6: ("everybody" | "administrators" | "nodes" | "masters" | "storage" | "pods" | "tasks")[];
        };
        /**
         * OpenPorts
         * @description A port, or a range of them.
         */
        OpenPorts: {
            /** First */
            first: number;
            /**
             * Last
             * @description Of a range; null: `first` alone
             */
            last?: number | null;
            /**
             * Protocol
             * @default tcp
             * @enum {string}
             */
            protocol?: "tcp" | "udp";
        };
        /**
         * Operation
         * @description Long work of the platform.
         */
        Operation: {
            /** Actions */
            actions: "cancel"[];
            /**
             * Attempts
             * @description How often it was begun
             */
            attempts: number;
            /** Cancel Wanted */
            cancel_wanted: boolean;
            /**
             * Created At
             * Format: date-time
             * @description RFC 3339, always with its offset
             */
            created_at: string;
            /** Finished At */
            finished_at: string | null;
            /** Id */
            id: string;
            /**
             * Kind
             * @description For example home.archive
             */
            kind: string;
            /** @description What it is doing */
            message: components["schemas"]["Reason"] | null;
            /**
             * Name
             * @description What it is about, for example a path
             */
            name: string;
            owner: components["schemas"]["UserReference"];
            /** Progress */
            progress: number;
            /** @description Why it ended as it did, or why it waits */
            reason: components["schemas"]["Reason"] | null;
            /** Started At */
            started_at: string | null;
            state: components["schemas"]["OperationState"];
        };
        /**
         * OperationDetails
         * @description An operation with what was asked for, what came of it, and what happened.
         */
        OperationDetails: {
            /** Actions */
            actions: "cancel"[];
            /**
             * Attempts
             * @description How often it was begun
             */
            attempts: number;
            /** Cancel Wanted */
            cancel_wanted: boolean;
            /**
             * Created At
             * Format: date-time
             * @description RFC 3339, always with its offset
             */
            created_at: string;
            /** Events */
            events: components["schemas"]["OperationEvent"][];
            /** Finished At */
            finished_at: string | null;
            /** Id */
            id: string;
            /**
             * Kind
             * @description For example home.archive
             */
            kind: string;
            /** @description What it is doing */
            message: components["schemas"]["Reason"] | null;
            /**
             * Name
             * @description What it is about, for example a path
             */
            name: string;
            owner: components["schemas"]["UserReference"];
            /** Parameters */
            parameters: {
                [key: string]: unknown;
            };
            /** Progress */
            progress: number;
            /** @description Why it ended as it did, or why it waits */
            reason: components["schemas"]["Reason"] | null;
            /** Result */
            result: {
                [key: string]: unknown;
            } | null;
            /** Started At */
            started_at: string | null;
            state: components["schemas"]["OperationState"];
        };
        /**
         * OperationEvent
         * @description One moment in the life of an operation.
         */
        OperationEvent: {
            /** Actor */
            actor: string | null;
            /**
             * At
             * Format: date-time
             * @description RFC 3339, always with its offset
             */
            at: string;
            /** Attempt */
            attempt: number;
            reason: components["schemas"]["Reason"];
            state: components["schemas"]["OperationState"];
        };
        /**
         * OperationState
         * @description Where an operation is. The last three are ends.
         * @enum {string}
         */
        OperationState: "queued" | "running" | "finished" | "failed" | "cancelled";
        /**
         * Overview
         * @description What runs, what is free, what needs attention.
         */
        Overview: {
            /** Attention */
            attention: components["schemas"]["Reason"][];
            nodes: components["schemas"]["NodeCounts"] | null;
            /** Recent */
            recent: components["schemas"]["TaskSummary"][];
            /**
             * Running Total
             * @description Tasks of all users that run, for administrators
             */
            running_total: number | null;
            /**
             * Tasks
             * @description The caller's own tasks
             */
            tasks: components["schemas"]["KindCounts"][];
            /** Virtual Clusters */
            virtual_clusters: components["schemas"]["VirtualCluster"][];
        };
        /**
         * OwnSession
         * @description A browser or program that is signed in as the caller.
         */
        OwnSession: {
            /**
             * Address
             * @description Where it was seen last
             */
            address: string;
            /**
             * Created At
             * Format: date-time
             * @description RFC 3339, always with its offset
             */
            created_at: string;
            /**
             * Current
             * @description Whether it is the one that asks
             */
            current: boolean;
            /**
             * Device
             * @description For example `Firefox 140, Linux`; empty for one that does not say what it is
             */
            device: string;
            /**
             * Expires At
             * Format: date-time
             * @description RFC 3339, always with its offset
             */
            expires_at: string;
            /** Id */
            id: string;
            /**
             * Last Seen At
             * Format: date-time
             * @description To the minute
             */
            last_seen_at: string;
        };
        /** Page[AccessToken] */
        Page_AccessToken_: {
            /** Items */
            items: components["schemas"]["AccessToken"][];
            /** Next Cursor */
            next_cursor?: string | null;
        };
        /** Page[Account] */
        Page_Account_: {
            /** Items */
            items: components["schemas"]["Account"][];
            /** Next Cursor */
            next_cursor?: string | null;
        };
        /** Page[AuditRecord] */
        Page_AuditRecord_: {
            /** Items */
            items: components["schemas"]["AuditRecord"][];
            /** Next Cursor */
            next_cursor?: string | null;
        };
        /** Page[ClusterMember] */
        Page_ClusterMember_: {
            /** Items */
            items: components["schemas"]["ClusterMember"][];
            /** Next Cursor */
            next_cursor?: string | null;
        };
        /** Page[Group] */
        Page_Group_: {
            /** Items */
            items: components["schemas"]["Group"][];
            /** Next Cursor */
            next_cursor?: string | null;
        };
        /** Page[GroupReference] */
        Page_GroupReference_: {
            /** Items */
            items: components["schemas"]["GroupReference"][];
            /** Next Cursor */
            next_cursor?: string | null;
        };
        /** Page[Operation] */
        Page_Operation_: {
            /** Items */
            items: components["schemas"]["Operation"][];
            /** Next Cursor */
            next_cursor?: string | null;
        };
        /** Page[OwnSession] */
        Page_OwnSession_: {
            /** Items */
            items: components["schemas"]["OwnSession"][];
            /** Next Cursor */
            next_cursor?: string | null;
        };
        /** Page[Role] */
        Page_Role_: {
            /** Items */
            items: components["schemas"]["Role"][];
            /** Next Cursor */
            next_cursor?: string | null;
        };
        /** Page[RunSummary] */
        Page_RunSummary_: {
            /** Items */
            items: components["schemas"]["RunSummary"][];
            /** Next Cursor */
            next_cursor?: string | null;
        };
        /** Page[TaskSummary] */
        Page_TaskSummary_: {
            /** Items */
            items: components["schemas"]["TaskSummary"][];
            /** Next Cursor */
            next_cursor?: string | null;
        };
        /** Page[UserReference] */
        Page_UserReference_: {
            /** Items */
            items: components["schemas"]["UserReference"][];
            /** Next Cursor */
            next_cursor?: string | null;
        };
        /** Page[VirtualCluster] */
        Page_VirtualCluster_: {
            /** Items */
            items: components["schemas"]["VirtualCluster"][];
            /** Next Cursor */
            next_cursor?: string | null;
        };
        /**
         * Parameter
         * @description One running parameter; the program gets it as `--name value`, a bare `--name` when the value is empty.
         */
        Parameter: {
            /** Name */
            name: string;
            /**
             * Value
             * @default
             */
            value?: string;
        };
        /**
         * PasswordChange
         * @description The old and the new password.
         */
        PasswordChange: {
            /**
             * Current Password
             * Format: password
             */
            current_password: string;
            /**
             * End Access Tokens
             * @description Whether the own access tokens end, too
             * @default false
             */
            end_access_tokens?: boolean;
            /**
             * End Links
             * @description Whether other ways into the account end, too, with the access tokens of who came by them
             * @default false
             */
            end_links?: boolean;
            /**
             * New Password
             * Format: password
             * @description At least 10 characters
             */
            new_password: string;
        };
        /**
         * PasswordReset
         * @description What else leads into the account.
         */
        PasswordReset: {
            /**
             * End Links
             * @description Links with providers end, too; else whoever linked the account signs in as before
             * @default true
             */
            end_links?: boolean;
        };
        /**
         * Permission
         * @description One thing that a caller may do.
         * @enum {string}
         */
        Permission: "audit:read" | "virtual_clusters:read" | "virtual_clusters:read_all" | "virtual_clusters:manage" | "files:read" | "operations:read" | "operations:cancel" | "operations:read_all" | "operations:cancel_all" | "tasks:create" | "tasks:read" | "tasks:stop" | "tasks:delete" | "tasks:read_all" | "tasks:stop_all" | "tasks:privileged" | "users:read" | "users:manage" | "groups:read" | "groups:manage" | "roles:read" | "roles:manage" | "files:write" | "overview:read" | "images:read" | "nodes:read" | "services:read" | "services:operate" | "runs:read" | "monitoring:read" | "settings:read" | "settings:write";
        /**
         * PermissionKind
         * @description Many permissions by one name. Who is granted one has those of the kind that later versions add, too.
         * @enum {string}
         */
        PermissionKind: "platform" | "annotation" | "administration";
        /**
         * Permissions
         * @description What roles can grant.
         */
        Permissions: {
            /** Kinds */
            kinds: components["schemas"]["GrantedKind"][];
            /** Permissions */
            permissions: components["schemas"]["GrantedPermission"][];
        };
        /**
         * PodSecurity
         * @description What pods there may be, as the Pod Security Standards of Kubernetes have it.
         * @enum {string}
         */
        PodSecurity: "restricted" | "baseline";
        /**
         * Ports
         * @description The table of ports, held against what listens; `firewall` says whether it is enforced.
         */
        Ports: {
            /** Firewall */
            firewall: boolean;
            /** Rows */
            rows: components["schemas"]["OpenPort"][];
            /** Silent */
            silent: components["schemas"]["SilentNode"][];
            /** Without Row */
            without_row: components["schemas"]["StraySocket"][];
        };
        /**
         * Problem
         * @description RFC 9457; `code` is stable and what programs and translations go by.
         */
        Problem: {
            /** Code */
            code: string;
            /** Detail */
            detail: string;
            /** Errors */
            errors?: components["schemas"]["FieldError"][];
            /** Params */
            params?: {
                [key: string]: unknown;
            };
            /**
             * Remedy
             * @default
             */
            remedy?: string;
            /** Request Id */
            request_id: string;
            /** Status */
            status: number;
            /** Title */
            title: string;
            /** Type */
            type: string;
        };
        /**
         * Proof
         * @description What proves who sits there.
         */
        Proof: {
            /**
             * Password
             * Format: password
             */
            password: string;
        };
        /**
         * Proofs
         * @description By what the caller proves who sits there, before what opens other ways into the account.
         */
        Proofs: {
            /**
             * Fresh
             * @description Whether it was proven lately, so that it is not asked for again
             */
            fresh: boolean;
            /**
             * Links
             * @description Whether no password is asked for again before a further link either
             */
            links: boolean;
            /**
             * Minutes
             * @description How long it counts
             */
            minutes: number;
            /**
             * Password
             * @description Whether the account has a password
             */
            password: boolean;
            /**
             * Ways
             * @description Linked ones that have people sign in anew
             */
            ways: components["schemas"]["WayName"][];
        };
        /**
         * Reason
         * @description Why something is as it is: a stable code with its parameters, and plain English words.
         */
        Reason: {
            /** Code */
            code: string;
            /** Message */
            message: string;
            /** Params */
            params?: {
                [key: string]: unknown;
            };
        };
        /**
         * Registered
         * @description The account that was made.
         */
        Registered: {
            /** Name */
            name: string;
        };
        /**
         * Registration
         * @description An account that somebody makes for themselves; it may do nothing until an administrator gives it a role.
         */
        Registration: {
            /** Name */
            name: string;
            /** Nickname */
            nickname: string;
            /**
             * Password
             * Format: password
             * @description At least 10 characters
             */
            password: string;
        };
        /**
         * Replica
         * @description One process of an attempt.
         */
        Replica: {
            /**
             * Devices
             * @description Indices of the devices on the node, where the engine knows them
             */
            devices: number[] | null;
            /** Exit Code */
            exit_code: number | null;
            /** Finished At */
            finished_at: string | null;
            /** Node */
            node: string | null;
            /** Pod */
            pod: string | null;
            /** Rank */
            rank: number;
            reason: components["schemas"]["Reason"] | null;
            /** Started At */
            started_at: string | null;
            /**
             * State
             * @enum {string}
             */
            state: "waiting" | "starting" | "running" | "succeeded" | "failed";
        };
        /**
         * Replicas
         * @description How many there are and should be.
         */
        Replicas: {
            /** Ready */
            ready: number;
            /** Wanted */
            wanted: number;
        };
        /**
         * Resources
         * @description CPU cores and memory of one replica.
         */
        Resources: {
            /** Cpu */
            cpu: string;
            /** Memory */
            memory: string;
        };
        /**
         * Role
         * @description What its holders may do.
         */
        Role: {
            /**
             * Created At
             * Format: date-time
             * @description RFC 3339, always with its offset
             */
            created_at: string;
            /** Description */
            description: string;
            /** Grants */
            grants: (components["schemas"]["PermissionKind"] | components["schemas"]["Permission"])[];
            /** Group Count */
            group_count: number;
            /** Id */
            id: string;
            /** Name */
            name: string;
            /**
             * Permissions
             * @description All that the grants come to in this version
             */
            permissions: components["schemas"]["Permission"][];
            /**
             * Preset
             * @description Part of every installation: neither changed nor deleted
             */
            preset: boolean;
            /**
             * User Count
             * @description To whom it was given; those who hold it by a group are not counted
             */
            user_count: number;
            /**
             * Version
             * @description For If-Match
             */
            version: number;
        };
        /**
         * RoleCreate
         * @description A new role.
         */
        RoleCreate: {
            /**
             * Description
             * @default
             */
            description?: string;
            /**
             * Grants
             * @description Kinds of permissions, and names of single ones
             */
            grants: (components["schemas"]["PermissionKind"] | components["schemas"]["Permission"])[];
            /** Name */
            name: string;
        };
        /**
         * RoleReference
         * @description A role by name.
         */
        RoleReference: {
            /** Id */
            id: string;
            /** Name */
            name: string;
        };
        /**
         * RoleUpdate
         * @description What is to be different; what is left out stays.
         */
        RoleUpdate: {
            /** Description */
            description?: string | null;
            /** Grants */
            grants?: (components["schemas"]["PermissionKind"] | components["schemas"]["Permission"])[] | null;
            /** Name */
            name?: string | null;
        };
        /**
         * Run
         * @description One apply with its phases.
         */
        Run: {
            /** Changed */
            changed: number;
            /** Failed */
            failed: number;
            /** Finished At */
            finished_at: string | null;
            /** Id */
            id: string;
            /**
             * Message
             * @default
             */
            message?: string;
            /** Phases */
            phases: components["schemas"]["RunPhase"][];
            /** Seconds */
            seconds: number | null;
            /**
             * Started At
             * Format: date-time
             * @description RFC 3339, always with its offset
             */
            started_at: string;
            /**
             * State
             * @enum {string}
             */
            state: "running" | "succeeded" | "failed" | "interrupted";
            /** Verb */
            verb: string;
        };
        /**
         * RunEvent
         * @description One event of a run's journal (`event` names it), passed on as it was written.
         */
        RunEvent: {
            /**
             * At
             * Format: date-time
             * @description RFC 3339, always with its offset
             */
            at: string;
            /** Data */
            data: {
                [key: string]: unknown;
            };
            /** Event */
            event: string;
        };
        /**
         * RunPhase
         * @description A phase on the nodes where it ran.
         */
        RunPhase: {
            /**
             * Changed
             * @default 0
             */
            changed?: number;
            /** Name */
            name: string;
            /**
             * Nodes
             * @description State per node
             */
            nodes?: {
                [key: string]: string;
            };
            /** Seconds */
            seconds?: number | null;
            /**
             * State
             * @enum {string}
             */
            state: "waiting" | "running" | "succeeded" | "failed" | "skipped";
        };
        /**
         * RunSummary
         * @description One apply.
         */
        RunSummary: {
            /** Changed */
            changed: number;
            /** Failed */
            failed: number;
            /** Finished At */
            finished_at: string | null;
            /** Id */
            id: string;
            /** Seconds */
            seconds: number | null;
            /**
             * Started At
             * Format: date-time
             * @description RFC 3339, always with its offset
             */
            started_at: string;
            /**
             * State
             * @enum {string}
             */
            state: "running" | "succeeded" | "failed" | "interrupted";
            /** Verb */
            verb: string;
        };
        /**
         * ScalarSeries
         * @description A scalar that the program reported, over its steps.
         */
        ScalarSeries: {
            /** Name */
            name: string;
            /** Steps */
            steps: number[];
            /** Values */
            values: number[];
        };
        /**
         * Series
         * @description One line of a chart.
         */
        Series: {
            /** Labels */
            labels: {
                [key: string]: string;
            };
            /** Times */
            times: number[];
            /** Values */
            values: number[];
        };
        /**
         * Service
         * @description A part that an administrator can see and operate.
         */
        Service: {
            /** Actions */
            actions?: string[];
            /**
             * Message
             * @default
             */
            message?: string;
            /** Name */
            name: string;
            /** Nodes */
            nodes?: string[];
            replicas: components["schemas"]["Replicas"];
            /**
             * State
             * @enum {string}
             */
            state: "running" | "degraded" | "starting" | "stopped" | "failed" | "unknown";
            /**
             * Title
             * @default
             */
            title?: string;
            /**
             * Version
             * @default
             */
            version?: string;
        };
        /**
         * ServiceAction
         * @description What an action did.
         */
        ServiceAction: {
            /** Action */
            action: string;
            /** Changed */
            changed: boolean;
            /** Message */
            message: string;
            /** Ok */
            ok: boolean;
            /** Seconds */
            seconds: number;
            /** Service */
            service: string;
        };
        /**
         * ServiceLog
         * @description The end of a service's log.
         */
        ServiceLog: {
            /** Lines */
            lines: string[];
        };
        /**
         * Services
         * @description All services.
         */
        Services: {
            /** Items */
            items: components["schemas"]["Service"][];
        };
        /**
         * Session
         * @description Who is signed in and what the portal may offer to them.
         */
        Session: {
            /** Device Types */
            device_types: components["schemas"]["DeviceTypeName"][];
            /**
             * Expires At
             * Format: date-time
             * @description RFC 3339, always with its offset
             */
            expires_at: string;
            /** Must Change Password */
            must_change_password: boolean;
            /**
             * Permissions
             * @description By own roles and by those of groups. Empty while there are none, or the password must be changed
             */
            permissions: components["schemas"]["Permission"][];
            user: components["schemas"]["User"];
            /**
             * Virtual Clusters
             * @description Those that this user is a member of
             */
            virtual_clusters: components["schemas"]["VirtualClusterReference"][];
        };
        /**
         * SessionsEnded
         * @description What was ended.
         */
        SessionsEnded: {
            /** Ended */
            ended: number;
        };
        /**
         * Settings
         * @description What the caller has set, or what holds without that.
         */
        Settings: {
            /**
             * Appearance
             * @description null: what the browser asks for
             */
            appearance: ("light" | "dark" | "system") | null;
            /**
             * Language
             * @description null: what the browser asks for
             */
            language: ("en" | "zh-CN") | null;
            /**
             * Privileged Jobs
             * @description Whether the caller wants to be offered jobs that are root of their container
             */
            privileged_jobs: boolean;
            /**
             * Privileged Jobs Refused
             * @description What keeps the caller from that; null: nothing, where a virtual cluster has room for them
             */
            privileged_jobs_refused: ("installation" | "permission" | "virtual_clusters") | null;
            /**
             * Refresh Seconds
             * @description How often pages look again where they are not told of changes
             */
            refresh_seconds: number;
            /**
             * Time Zone
             * @description An IANA name, by which all times are shown; null: the browser's
             */
            time_zone: string | null;
            /**
             * Version
             * @description For If-Match
             */
            version: number;
            /** @description The one in use: new tasks go there unless said otherwise. null: the caller is a member of none */
            virtual_cluster: components["schemas"]["VirtualClusterReference"] | null;
        };
        /**
         * SettingsChange
         * @description What becomes different; what is left out stays. null of language, appearance and time zone: as each browser
         *     has it.
         */
        SettingsChange: {
            /** Appearance */
            appearance?: ("light" | "dark" | "system") | null;
            /** Language */
            language?: ("en" | "zh-CN") | null;
            /**
             * Privileged Jobs
             * @description true: refused where something keeps from it
             */
            privileged_jobs?: boolean | null;
            /** Refresh Seconds */
            refresh_seconds?: number | null;
            /**
             * Time Zone
             * @description An IANA name, for example Asia/Shanghai
             */
            time_zone?: string | null;
            /**
             * Virtual Cluster
             * @description The id of a virtual cluster of the caller
             */
            virtual_cluster?: string | null;
        };
        /**
         * SignIn
         * @description Name and password.
         */
        SignIn: {
            /** Name */
            name: string;
            /**
             * Password
             * Format: password
             */
            password: string;
        };
        /**
         * SilentNode
         * @description A node that did not say what listens there.
         */
        SilentNode: {
            /** Message */
            message: string;
            /** Node */
            node: string;
        };
        /**
         * Standing
         * @description How far the engine has followed what is wanted of a virtual cluster.
         * @enum {string}
         */
        Standing: "preparing" | "ready" | "deleting";
        /**
         * State
         * @description What was last seen of a task.
         * @enum {string}
         */
        State: "unapproved" | "queued" | "scheduling" | "running" | "pausing" | "paused" | "stopping" | "finished" | "failed" | "killed" | "error";
        /**
         * StateChanged
         * @description Data of a `deleted` event of the live view.
         */
        StateChanged: {
            /** Id */
            id: string;
        };
        /**
         * StateSpan
         * @description How long a task was in a state; the open one has no end.
         */
        StateSpan: {
            /** Seconds */
            seconds: number;
            /**
             * Since
             * Format: date-time
             * @description RFC 3339, always with its offset
             */
            since: string;
            state: components["schemas"]["State"];
            /** Until */
            until: string | null;
        };
        /**
         * StraySocket
         * @description Something that listens on a node, and no row speaks of.
         */
        StraySocket: {
            /** Address */
            address: string;
            /** Node */
            node: string;
            /** Port */
            port: number;
            /** Program */
            program: string;
            /** Protocol */
            protocol: string;
        };
        /**
         * Task
         * @description A task in full.
         */
        Task: {
            /**
             * Actions
             * @description What the caller may do now
             */
            actions: ("stop" | "delete" | "copy")[];
            /** Attempts */
            attempts: components["schemas"]["Attempt"][];
            /**
             * Created At
             * Format: date-time
             * @description RFC 3339, always with its offset
             */
            created_at: string;
            /**
             * Definition
             * @description As its owner asked for it, in the shape of its kind
             */
            definition: {
                [key: string]: unknown;
            };
            /**
             * Device Type
             * @description Null: without devices, where there is no type to choose
             */
            device_type: string | null;
            /** Devices */
            devices: number;
            /** Exit Code */
            exit_code: number | null;
            /** Finished At */
            finished_at: string | null;
            /**
             * Framework
             * @description The preset framework, or repository:tag of the user's own image
             */
            framework: string;
            /** Id */
            id: string;
            /** Kind */
            kind: components["schemas"]["TaskKind"];
            /**
             * Last Lines
             * @description The end of the log of the replica that failed first
             */
            last_lines: string[];
            mode: components["schemas"]["Mode"];
            /** Name */
            name: string;
            /** Nodes */
            nodes: number;
            owner: components["schemas"]["UserReference"];
            /**
             * Privileged
             * @description Root of its container
             */
            privileged: boolean;
            /**
             * Progress
             * @description The last scalars that the program reported
             */
            progress: {
                [key: string]: number;
            } | null;
            /** @description Why it waits, failed or was ended */
            reason: components["schemas"]["Reason"] | null;
            /** Started At */
            started_at: string | null;
            state: components["schemas"]["State"];
            /**
             * State Since
             * Format: date-time
             * @description RFC 3339, always with its offset
             */
            state_since: string;
            /** Version */
            version: number;
            virtual_cluster: components["schemas"]["VirtualClusterReference"];
            wanted: components["schemas"]["Wanted"];
        };
        /**
         * TaskEvent
         * @description One moment in the life of a task.
         */
        TaskEvent: {
            /**
             * Actor
             * @description The user who asked for it, where a person did
             */
            actor: string | null;
            /**
             * At
             * Format: date-time
             * @description RFC 3339, always with its offset
             */
            at: string;
            /** Attempt */
            attempt: number | null;
            /** Id */
            id: number;
            /**
             * Kind
             * @enum {string}
             */
            kind: "state" | "attempt" | "replica" | "engine" | "request";
            /** Rank */
            rank: number | null;
            reason: components["schemas"]["Reason"];
            state: components["schemas"]["State"] | null;
        };
        /**
         * TaskEvents
         * @description The time line and all events, oldest first.
         */
        TaskEvents: {
            /** Items */
            items: components["schemas"]["TaskEvent"][];
            /** Timeline */
            timeline: components["schemas"]["StateSpan"][];
        };
        /**
         * TaskKind
         * @description What a task is for.
         * @enum {string}
         */
        TaskKind: "training";
        /**
         * TaskMetrics
         * @description Scalars of the program and use of resources.
         */
        TaskMetrics: {
            /** Scalars */
            scalars: components["schemas"]["ScalarSeries"][];
            /**
             * Truncated
             * @description The program reported more than is read: bytes, series or points
             */
            truncated: boolean;
            /** Usage */
            usage: components["schemas"]["UsageSeries"][];
            usage_unavailable?: components["schemas"]["Reason"] | null;
        };
        /**
         * TaskSummary
         * @description A task in a list; also the data of `task` events of the live view.
         */
        TaskSummary: {
            /**
             * Actions
             * @description What the caller may do now
             */
            actions: ("stop" | "delete" | "copy")[];
            /**
             * Created At
             * Format: date-time
             * @description RFC 3339, always with its offset
             */
            created_at: string;
            /**
             * Device Type
             * @description Null: without devices, where there is no type to choose
             */
            device_type: string | null;
            /** Devices */
            devices: number;
            /** Finished At */
            finished_at: string | null;
            /**
             * Framework
             * @description The preset framework, or repository:tag of the user's own image
             */
            framework: string;
            /** Id */
            id: string;
            /** Kind */
            kind: components["schemas"]["TaskKind"];
            mode: components["schemas"]["Mode"];
            /** Name */
            name: string;
            /** Nodes */
            nodes: number;
            owner: components["schemas"]["UserReference"];
            /**
             * Privileged
             * @description Root of its container
             */
            privileged: boolean;
            /**
             * Progress
             * @description The last scalars that the program reported
             */
            progress: {
                [key: string]: number;
            } | null;
            /** @description Why it waits, failed or was ended */
            reason: components["schemas"]["Reason"] | null;
            /** Started At */
            started_at: string | null;
            state: components["schemas"]["State"];
            /**
             * State Since
             * Format: date-time
             * @description RFC 3339, always with its offset
             */
            state_since: string;
            /** Version */
            version: number;
            virtual_cluster: components["schemas"]["VirtualClusterReference"];
            wanted: components["schemas"]["Wanted"];
        };
        /**
         * TrainingCreate
         * @description A new training.
         */
        TrainingCreate: {
            /**
             * Code Directory
             * @description Where the program starts. With `image`, empty: the image's own directory, else the home
             * @default
             */
            code_directory?: string;
            /**
             * Command Line
             * @description With `image`: what to start, in words as a shell reads them, but no shell runs unless it is named (sh -c '…'). Without it: what the image itself starts
             */
            command_line?: string | null;
            /**
             * Description
             * @default
             */
            description?: string;
            /**
             * Device Type
             * @description One of the virtual cluster's; left out where it has none
             */
            device_type?: string | null;
            /**
             * Devices
             * @description Per node
             * @default 0
             */
            devices?: number;
            /**
             * Distributed
             * @default false
             */
            distributed?: boolean;
            /**
             * Framework
             * @description Name of a framework of the options; either this, with a start file, or `image`
             */
            framework?: string | null;
            /**
             * Image
             * @description An image of the cluster's registry, for example one of GET /images
             */
            image?: string | null;
            /** @description CPU and memory limit of each replica */
            limits?: components["schemas"]["Resources"] | null;
            /** Name */
            name: string;
            /**
             * Nodes
             * @default 1
             */
            nodes?: number;
            /**
             * Output Directory
             * @description Without it: tasks/<id>/output in the home
             */
            output_directory?: string | null;
            /** Parameters */
            parameters?: components["schemas"]["Parameter"][];
            /**
             * Privileged
             * @description Root of its container: where options offer it, and nowhere else
             * @default false
             */
            privileged?: boolean;
            /**
             * Start File
             * @description With `framework`: a Python file, relative to the code directory
             */
            start_file?: string | null;
            /** Virtual Cluster */
            virtual_cluster: string;
        };
        /**
         * TrainingDefinition
         * @description A training as it was asked for, with every default filled in.
         */
        TrainingDefinition: {
            /** Code Directory */
            code_directory: string;
            /** Command */
            command: string[];
            /** Command Line */
            command_line?: string | null;
            /** Description */
            description: string;
            /** Device Type */
            device_type: string | null;
            /** Devices */
            devices: number;
            /** Distributed */
            distributed: boolean;
            /** Framework */
            framework: string | null;
            /**
             * Image
             * @description What runs; an image of the user's own is pinned to its digest
             */
            image: string;
            limits: components["schemas"]["Resources"];
            /** Nodes */
            nodes: number;
            /** Output Directory */
            output_directory: string;
            /** Parameters */
            parameters: components["schemas"]["Parameter"][];
            /**
             * Privileged
             * @default false
             */
            privileged?: boolean;
            requests: components["schemas"]["Resources"];
            /** Start File */
            start_file: string | null;
            /**
             * Working Directory
             * @description In the image, where there is no code directory
             */
            working_directory?: string | null;
        };
        /**
         * TrainingOptions
         * @description Everything that the form needs, in one answer.
         */
        TrainingOptions: {
            /** Examples */
            examples: components["schemas"]["Example"][];
            /** Frameworks */
            frameworks: components["schemas"]["Framework"][];
            /**
             * Home
             * @description The caller's home as programs see it
             */
            home: string;
            /** @description Limits of a task with 0 devices, where they are not those of its device type */
            limits_without_devices: components["schemas"]["Limits"] | null;
            /**
             * Own Images
             * @description Whether a task may bring an image of its own
             */
            own_images: boolean;
            /**
             * Registry
             * @description Where images of tasks come from
             */
            registry: string;
            /** Request Ratio */
            request_ratio: number;
            /** Virtual Clusters */
            virtual_clusters: components["schemas"]["ClusterOption"][];
        };
        /**
         * UsageSeries
         * @description A resource of one replica over time.
         */
        UsageSeries: {
            /** Device */
            device?: string | null;
            /** Limit */
            limit: number | null;
            /** Name */
            name: string;
            /** Rank */
            rank: number;
            /**
             * Times
             * @description Seconds since 1970
             */
            times: number[];
            /**
             * Unit
             * @enum {string}
             */
            unit: "cores" | "bytes" | "percent";
            /** Values */
            values: number[];
        };
        /**
         * User
         * @description A user in full.
         */
        User: {
            /** Active */
            active: boolean;
            /**
             * Created At
             * Format: date-time
             * @description RFC 3339, always with its offset
             */
            created_at: string;
            /**
             * Email
             * @description Empty when it is not known; in answers to changes also for who does not read users
             */
            email: string;
            /** Id */
            id: string;
            /** Name */
            name: string;
            /** Nickname */
            nickname: string;
            /**
             * Phone
             * @description Empty when it is not known; in answers to changes also for who does not read users
             */
            phone: string;
            /**
             * Roles
             * @description Those that were given to this user; those of groups come on top
             */
            roles: components["schemas"]["RoleReference"][];
            /**
             * Uid
             * @description The POSIX uid of this user's processes and files
             */
            uid: number;
        };
        /**
         * UserCreate
         * @description A new account.
         */
        UserCreate: {
            /**
             * Email
             * @default
             */
            email?: string;
            /** Groups */
            groups?: string[];
            /** Name */
            name: string;
            /** Nickname */
            nickname: string;
            /**
             * Password
             * Format: password
             * @description At least 10 characters
             */
            password: string;
            /**
             * Phone
             * @default
             */
            phone?: string;
            /** Roles */
            roles: string[];
            /**
             * Virtual Clusters
             * @description Names of virtual clusters to join
             */
            virtual_clusters?: string[];
        };
        /**
         * UserDelete
         * @description What becomes of the user's tasks.
         */
        UserDelete: {
            /**
             * Stop Tasks
             * @description Else nothing is deleted while there are any
             * @default false
             */
            stop_tasks?: boolean;
        };
        /**
         * UserDisable
         * @description What becomes of the user's tasks.
         */
        UserDisable: {
            /**
             * Stop Tasks
             * @description Else running tasks go on, and waiting ones start
             * @default false
             */
            stop_tasks?: boolean;
        };
        /**
         * UserGroups
         * @description All groups in which the user is to be.
         */
        UserGroups: {
            /** Groups */
            groups: string[];
        };
        /**
         * UserManagement
         * @description How much there is to be managed.
         */
        UserManagement: {
            /** Groups */
            groups: number;
            /** Roles */
            roles: number;
            /** Users */
            users: number;
            /**
             * Waiting
             * @description Users of these who can sign in, and whom nobody gave any rights yet
             */
            waiting: number;
        };
        /**
         * UserReference
         * @description A user as others see it.
         */
        UserReference: {
            /** Id */
            id: string;
            /** Name */
            name: string;
            /** Nickname */
            nickname: string;
        };
        /**
         * UserRoles
         * @description All roles that the user is to have; with none, and none by a group, nothing can be done but sign in.
         */
        UserRoles: {
            /** Roles */
            roles: string[];
        };
        /**
         * Users
         * @description To whom it is given.
         */
        Users: {
            /** Users */
            users: string[];
        };
        /**
         * UsersCreate
         * @description Several new accounts, which have the same rights; all are made, or none.
         */
        UsersCreate: {
            /** Groups */
            groups?: string[];
            /** Roles */
            roles: string[];
            /** Users */
            users: components["schemas"]["NewUser"][];
            /**
             * Virtual Clusters
             * @description Names of virtual clusters to join
             */
            virtual_clusters?: string[];
        };
        /**
         * UsersCreated
         * @description The accounts that were made.
         */
        UsersCreated: {
            /** Items */
            items: components["schemas"]["Account"][];
        };
        /**
         * UsersImport
         * @description What would be made of the file, or was made of it.
         */
        UsersImport: {
            /**
             * Dry Run
             * @description Nothing was changed
             */
            dry_run: boolean;
            /**
             * Encoding
             * @description In which the file was read
             */
            encoding: string;
            /**
             * Errors
             * @description What the file as a whole has wrong; the field is the line, if any
             */
            errors: components["schemas"]["FieldError"][];
            /**
             * Existing
             * @description Users who are there already: nothing of them is looked at or changed
             */
            existing: number;
            /**
             * Lines
             * @description Of a dry run
             */
            lines: components["schemas"]["ImportLine"][];
            /**
             * Mistakes
             * @description Of all lines; the first thousand are told
             */
            mistakes: number;
            /** New */
            new: number;
            /**
             * Passwords
             * @description Of those that were made
             */
            passwords: components["schemas"]["InitialPassword"][];
        };
        /**
         * UserUpdate
         * @description What is to be different; what is left out stays.
         */
        UserUpdate: {
            /** Email */
            email?: string | null;
            /** Nickname */
            nickname?: string | null;
            /** Phone */
            phone?: string | null;
        };
        /**
         * Uses
         * @description What a task will hold while it runs.
         */
        Uses: {
            /** Device Type */
            device_type: string | null;
            /**
             * Devices
             * @description Over all nodes
             */
            devices: number;
            limits_per_node: components["schemas"]["Resources"];
            /** Nodes */
            nodes: number;
            requests_per_node: components["schemas"]["Resources"];
        };
        /**
         * VirtualCluster
         * @description A named share of the cluster.
         */
        VirtualCluster: {
            /**
             * Borrows
             * @description Whether its members may hold idle devices of other virtual clusters beyond its own; tasks on these are interrupted, and queue again, when their owners need them
             */
            borrows: boolean;
            /**
             * Created At
             * Format: date-time
             * @description RFC 3339, always with its offset
             */
            created_at: string;
            /** Devices */
            devices: components["schemas"]["DeviceUse"][];
            /**
             * Egress
             * @description Networks that tasks may reach; none: the cluster's names alone. Taken away, it is closed to those that run
             */
            egress: components["schemas"]["OpenNetwork"][];
            /** Id */
            id: string;
            /**
             * Max Devices Per User
             * @description Per device type; the most that one member may hold
             */
            max_devices_per_user: {
                [key: string]: number;
            };
            /**
             * Max Hours
             * @description A task is ended after so many hours; null: never
             */
            max_hours: number | null;
            /**
             * Member
             * @description Whether the caller is a member
             */
            member: boolean;
            /**
             * Members
             * @description Users whose account is active, those of member groups included
             */
            members: number;
            /** Name */
            name: string;
            /**
             * Overcommitted
             * @description Device types of which virtual clusters are promised more than there are on machines that are up
             */
            overcommitted: string[];
            /** @description baseline: members who have the right to may run jobs that are root of their container */
            pod_security: components["schemas"]["PodSecurity"];
            /** Running Tasks */
            running_tasks: number;
            /** @description preparing: tasks wait until the engine has taken over what it grants; deleting: gone for members */
            standing: components["schemas"]["Standing"];
            /**
             * Version
             * @description For If-Match
             */
            version: number;
            /** Waiting Tasks */
            waiting_tasks: number;
        };
        /**
         * VirtualClusterCreate
         * @description A new virtual cluster.
         */
        VirtualClusterCreate: {
            /**
             * Borrows
             * @description Idle devices of other virtual clusters, too
             * @default false
             */
            borrows?: boolean;
            /**
             * Devices
             * @description How many of each type; none: for tasks without devices
             */
            devices: {
                [key: string]: number;
            };
            /**
             * Egress
             * @description Networks that tasks may reach; none: the cluster's names alone. Taken away, it is closed to those that run
             */
            egress?: components["schemas"]["OpenNetwork"][];
            /**
             * Max Devices Per User
             * @description The most that one member may hold; a type that is left out: all of them
             */
            max_devices_per_user?: {
                [key: string]: number;
            };
            /**
             * Max Hours
             * @description A task is ended after so many hours; null: never
             */
            max_hours?: number | null;
            /** Name */
            name: string;
            /**
             * @description baseline: members who have the right to may run jobs that are root of their container
             * @default restricted
             */
            pod_security?: components["schemas"]["PodSecurity"];
        };
        /**
         * VirtualClusterEdit
         * @description What becomes different; what is left out stays.
         */
        VirtualClusterEdit: {
            /**
             * Borrows
             * @description Idle devices of other virtual clusters, too
             */
            borrows?: boolean | null;
            /**
             * Devices
             * @description All types that it has from now on
             */
            devices?: {
                [key: string]: number;
            } | null;
            /**
             * Egress
             * @description Networks that tasks may reach; none: the cluster's names alone. Taken away, it is closed to those that run
             */
            egress?: components["schemas"]["OpenNetwork"][] | null;
            /**
             * Max Devices Per User
             * @description Types that are left out keep theirs
             */
            max_devices_per_user?: {
                [key: string]: number;
            } | null;
            /**
             * Max Hours
             * @description null: for ever
             */
            max_hours?: number | null;
            /** @description baseline: members who have the right to may run jobs that are root of their container */
            pod_security?: components["schemas"]["PodSecurity"] | null;
        };
        /**
         * VirtualClusterExtend
         * @description More time.
         */
        VirtualClusterExtend: {
            /**
             * Hours
             * @description Added to the maximum; tasks that run have them, too
             */
            hours: number;
        };
        /**
         * VirtualClusterReference
         * @description A virtual cluster by name.
         */
        VirtualClusterReference: {
            /** Id */
            id: string;
            /** Name */
            name: string;
        };
        /**
         * Wanted
         * @description What people want of a task.
         * @enum {string}
         */
        Wanted: "run" | "stop" | "pause";
        /**
         * WayLink
         * @description Who links: whoever sits there knows the password, where the account has one.
         */
        WayLink: {
            /** Password */
            password?: string | null;
        };
        /**
         * WayName
         * @description A way in beside the password.
         * @enum {string}
         */
        WayName: "microsoft" | "wechat";
        /**
         * WayRegistration
         * @description The account that somebody makes for themselves; it may do nothing until an administrator gives it a role.
         */
        WayRegistration: {
            /** Name */
            name: string;
            /** Nickname */
            nickname: string;
        };
        /**
         * WayReturn
         * @description What the browser came back with: a code, or the provider's word for why there is none.
         */
        WayReturn: {
            /** Code */
            code?: string | null;
            /** Error */
            error?: string | null;
            /**
             * Issuer
             * @description RFC 9207
             */
            issuer?: string | null;
            /** State */
            state: string;
        };
        /**
         * WayReturned
         * @description What has become of it.
         */
        WayReturned: {
            /** @description Of who is unknown, and may make an account now */
            account?: components["schemas"]["NewAccount"] | null;
            /**
             * Outcome
             * @enum {string}
             */
            outcome: "signed_in" | "unknown" | "linked";
            /** @description Of who is signed in now */
            session?: components["schemas"]["Session"] | null;
        };
        /**
         * WaysOfUser
         * @description How somebody signs in.
         */
        WaysOfUser: {
            /**
             * Linkable
             * @description Whether it may be linked: the one that the installation made may not
             */
            linkable: boolean;
            /**
             * Password
             * @description Whether the account has a password
             */
            password: boolean;
            /** Ways */
            ways: components["schemas"]["LinkedWay"][];
        };
        /**
         * WayStarted
         * @description Where the browser goes now.
         */
        WayStarted: {
            /**
             * Address
             * @description At the provider
             */
            address: string;
            /**
             * State
             * @description Comes back with the browser; whoever kept no such state did not begin this
             */
            state: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    about_read: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["About"];
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    identity_list_access_tokens: {
        parameters: {
            query?: {
                /** @description `next_cursor` of the page before */
                cursor?: string | null;
                /** @description Items per page */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page_AccessToken_"];
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    identity_create_access_token: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AccessTokenCreate"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewAccessToken"];
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    identity_delete_access_token: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    identity_access_token_options: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccessTokenOptions"];
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    audit_list: {
        parameters: {
            query?: {
                /** @description For example task.create, or task for all that is done to tasks */
                action?: string | null;
                /** @description Name of the user, as it was recorded */
                actor?: string | null;
                /** @description Where the request came from */
                address?: string | null;
                /** @description `next_cursor` of the page before */
                cursor?: string | null;
                /** @description Items per page */
                limit?: number;
                /** @description Id of what it was done to, or how its name begins */
                object?: string | null;
                outcome?: ("done" | "denied" | "failed") | null;
                /** @description At this moment or later */
                since?: string | null;
                /** @description Before this moment */
                until?: string | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page_AuditRecord_"];
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    audit_read: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                record_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditRecord"];
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    audit_actors: {
        parameters: {
            query?: {
                /** @description Items per page */
                limit?: number;
                /** @description In the names of accounts; how others begin */
                words?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditActors"];
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    audit_export: {
        parameters: {
            query?: {
                /** @description For example task.create, or task for all that is done to tasks */
                action?: string | null;
                /** @description Name of the user, as it was recorded */
                actor?: string | null;
                /** @description Where the request came from */
                address?: string | null;
                /** @description Id of what it was done to, or how its name begins */
                object?: string | null;
                outcome?: ("done" | "denied" | "failed") | null;
                /** @description At this moment or later */
                since?: string | null;
                /** @description Before this moment */
                until?: string | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A table */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    virtual_clusters_read_capacity: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeviceCapacity"][];
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    groups_list: {
        parameters: {
            query?: {
                /** @description `next_cursor` of the page before */
                cursor?: string | null;
                /** @description Items per page */
                limit?: number;
                /** @description In the name or the description */
                words?: string | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page_Group_"];
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    groups_create: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["GroupCreate"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Group"];
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    groups_read: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                group_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Group"];
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    groups_delete: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag that was read; the edit fails when it has changed */
                "if-match"?: string | null;
            };
            path: {
                group_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    groups_update: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag that was read; the edit fails when it has changed */
                "if-match"?: string | null;
            };
            path: {
                group_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["GroupUpdate"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Group"];
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    groups_put_roles: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag that was read; the edit fails when it has changed */
                "if-match"?: string | null;
            };
            path: {
                group_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["GroupRoles"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Group"];
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    groups_users: {
        parameters: {
            query?: {
                /** @description `next_cursor` of the page before */
                cursor?: string | null;
                /** @description Items per page */
                limit?: number;
            };
            header?: never;
            path: {
                group_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page_UserReference_"];
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    groups_add_users: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                group_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Users"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Group"];
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    groups_remove_user: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                group_id: string;
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    archives_create: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request makes nothing new */
                "idempotency-key"?: string | null;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ArchiveCreate"];
            };
        };
        responses: {
            /** @description Successful Response */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Operation"];
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    homes_list: {
        parameters: {
            query?: {
                /** @description `next_cursor` of the page before */
                cursor?: string | null;
                /** @description Items per page */
                limit?: number;
                /** @description Relative to the root of the listing */
                path?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Listing"];
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    homes_read: {
        parameters: {
            query: {
                download?: boolean;
                limit_bytes?: number | null;
                /** @description Relative to the root of the listing */
                path: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    images_list: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Images"];
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    monitoring_read_chart: {
        parameters: {
            query?: {
                minutes?: number;
                node?: string | null;
            };
            header?: never;
            path: {
                name: components["schemas"]["ChartName"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Chart"];
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    nodes_list: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Nodes"];
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    operations_list: {
        parameters: {
            query?: {
                /** @description `next_cursor` of the page before */
                cursor?: string | null;
                /** @description Only these kinds */
                kind?: string[] | null;
                /** @description Items per page */
                limit?: number;
                /** @description `all` needs operations:read_all */
                owner?: "me" | "all";
                /** @description Only these states */
                state?: components["schemas"]["OperationState"][] | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page_Operation_"];
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    operations_read: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                operation_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OperationDetails"];
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    operations_cancel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                operation_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OperationDetails"];
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    operations_stream: {
        parameters: {
            query?: {
                /** @description `all` needs operations:read_all */
                owner?: "me" | "all";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Events: `hello`, `operation` (Operation) */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["Operation"];
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    overview_read: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Overview"];
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    roles_permissions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Permissions"];
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    services_list_ports: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Ports"];
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    identity_register: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Registration"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Registered"];
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    roles_list: {
        parameters: {
            query?: {
                /** @description `next_cursor` of the page before */
                cursor?: string | null;
                /** @description Items per page */
                limit?: number;
                /** @description In the name or the description */
                words?: string | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page_Role_"];
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    roles_create: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RoleCreate"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Role"];
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    roles_read: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                role_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Role"];
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    roles_delete: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag that was read; the edit fails when it has changed */
                "if-match"?: string | null;
            };
            path: {
                role_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    roles_update: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag that was read; the edit fails when it has changed */
                "if-match"?: string | null;
            };
            path: {
                role_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RoleUpdate"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Role"];
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    roles_groups: {
        parameters: {
            query?: {
                /** @description `next_cursor` of the page before */
                cursor?: string | null;
                /** @description Items per page */
                limit?: number;
            };
            header?: never;
            path: {
                role_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page_GroupReference_"];
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    roles_give_to_groups: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                role_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Groups"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Role"];
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    roles_take_from_group: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                group_id: string;
                role_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    roles_users: {
        parameters: {
            query?: {
                /** @description `next_cursor` of the page before */
                cursor?: string | null;
                /** @description Items per page */
                limit?: number;
            };
            header?: never;
            path: {
                role_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page_UserReference_"];
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    roles_give_to_users: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                role_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Users"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Role"];
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    roles_take_from_user: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                role_id: string;
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    services_list_runs: {
        parameters: {
            query?: {
                /** @description `next_cursor` of the page before */
                cursor?: string | null;
                /** @description Items per page */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page_RunSummary_"];
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    services_read_run: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    services_follow_run: {
        parameters: {
            query?: never;
            header?: {
                "last-event-id"?: string | null;
            };
            path: {
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Events: `run` (RunEvent) */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["RunEvent"];
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    services_list: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Services"];
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    services_read_log: {
        parameters: {
            query?: {
                lines?: number;
            };
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServiceLog"];
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    services_restart: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServiceAction"];
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    identity_read: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    identity_sign_in: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SignIn"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    identity_sign_out: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    identity_change_password: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PasswordChange"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    ways_in_proofs: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Proofs"];
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    identity_prove: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Proof"];
            };
        };
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    ways_in_list: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WaysOfUser"];
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    ways_in_come_back: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                way: components["schemas"]["WayName"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WayReturn"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WayReturned"];
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    ways_in_unlink: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                way: components["schemas"]["WayName"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    ways_in_register: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                way: components["schemas"]["WayName"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WayRegistration"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    ways_in_link: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                way: components["schemas"]["WayName"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WayLink"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WayStarted"];
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    ways_in_prove_by: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                way: components["schemas"]["WayName"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WayStarted"];
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    ways_in_start: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                way: components["schemas"]["WayName"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WayStarted"];
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    identity_list_sessions: {
        parameters: {
            query?: {
                /** @description `next_cursor` of the page before */
                cursor?: string | null;
                /** @description Items per page */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page_OwnSession_"];
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    identity_end_session: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    identity_end_other_sessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionsEnded"];
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    settings_read: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Settings"];
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    settings_change: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag that was read; the edit fails when it has changed */
                "if-match"?: string | null;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SettingsChange"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Settings"];
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    tasks_count: {
        parameters: {
            query?: {
                /** @description `all` needs tasks:read_all */
                owner?: "me" | "all";
                /** @description Only of this name */
                virtual_cluster?: string | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KindCounts"][];
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    tasks_list: {
        parameters: {
            query?: {
                /** @description `next_cursor` of the page before */
                cursor?: string | null;
                /** @description Only these kinds */
                kind?: components["schemas"]["TaskKind"][] | null;
                /** @description Items per page */
                limit?: number;
                /** @description `all` needs tasks:read_all */
                owner?: "me" | "all";
                /** @description Only these states */
                state?: components["schemas"]["State"][] | null;
                /** @description Only of this name */
                virtual_cluster?: string | null;
                /** @description In the name or description */
                words?: string | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page_TaskSummary_"];
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    tasks_read: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    tasks_delete: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag that was read; the edit fails when it has changed */
                "if-match"?: string | null;
            };
            path: {
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    tasks_list_events: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskEvents"];
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    tasks_list_files: {
        parameters: {
            query?: {
                /** @description `next_cursor` of the page before */
                cursor?: string | null;
                /** @description Items per page */
                limit?: number;
                /** @description Relative to the root of the listing */
                path?: string;
            };
            header?: never;
            path: {
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Listing"];
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    tasks_read_file: {
        parameters: {
            query: {
                /** @description As an attachment; otherwise for a preview, text only */
                download?: boolean;
                /** @description Only the first bytes, for a preview */
                limit_bytes?: number | null;
                /** @description Relative to the root of the listing */
                path: string;
            };
            header?: never;
            path: {
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    tasks_follow_log: {
        parameters: {
            query?: {
                /** @description Without it: the newest */
                attempt?: number | null;
                /** @description Stay until the task ends */
                follow?: boolean;
                /** @description Bytes to skip */
                offset?: number;
                rank?: number;
            };
            header?: {
                /** @description Go on after this event: the byte offset */
                "last-event-id"?: string | null;
            };
            path: {
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Events: `log` (LogLines), `end` (LogEnd) */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["LogLines"] | components["schemas"]["LogEnd"];
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    tasks_read_log: {
        parameters: {
            query?: {
                attempt?: number | null;
                rank?: number;
            };
            header?: never;
            path: {
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    tasks_read_metrics: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskMetrics"];
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    tasks_stop: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag that was read; the edit fails when it has changed */
                "if-match"?: string | null;
            };
            path: {
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    tasks_watch: {
        parameters: {
            query?: {
                /** @description `all` needs tasks:read_all */
                owner?: "me" | "all";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Events: `hello`, `task` (TaskSummary), `deleted` (StateChanged) */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["TaskSummary"] | components["schemas"]["StateChanged"];
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    training_create: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request makes nothing new */
                "idempotency-key"?: string | null;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TrainingCreate"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Task"];
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    training_read_definition: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TrainingDefinition"];
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    training_estimate: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TrainingCreate"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Estimate"];
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    training_list_options: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TrainingOptions"];
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    users_management: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserManagement"];
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    users_list: {
        parameters: {
            query?: {
                /** @description Only those that may sign in, or only those that may not */
                active?: boolean | null;
                /** @description `next_cursor` of the page before */
                cursor?: string | null;
                /** @description Only those in this group */
                group?: string | null;
                /** @description Items per page */
                limit?: number;
                /** @description Only those that were given this role */
                role?: string | null;
                /** @description Only those who can sign in and have no rights yet, or only the others */
                waiting?: boolean | null;
                /** @description In names, e-mail address, phone number */
                words?: string | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page_Account_"];
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    users_create: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UserCreate"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Account"];
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    users_read: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Account"];
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    users_update: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag that was read; the edit fails when it has changed */
                "if-match"?: string | null;
            };
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UserUpdate"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Account"];
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    users_access_tokens: {
        parameters: {
            query?: {
                /** @description `next_cursor` of the page before */
                cursor?: string | null;
                /** @description Items per page */
                limit?: number;
            };
            header?: never;
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page_AccessToken_"];
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    users_end_access_token: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token_id: string;
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    users_delete: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag that was read; the edit fails when it has changed */
                "if-match"?: string | null;
            };
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UserDelete"];
            };
        };
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    users_disable: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag that was read; the edit fails when it has changed */
                "if-match"?: string | null;
            };
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UserDisable"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Account"];
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    users_enable: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag that was read; the edit fails when it has changed */
                "if-match"?: string | null;
            };
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Account"];
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    users_end_sessions: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag that was read; the edit fails when it has changed */
                "if-match"?: string | null;
            };
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Account"];
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    users_put_groups: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag that was read; the edit fails when it has changed */
                "if-match"?: string | null;
            };
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UserGroups"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Account"];
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    users_reset_password: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag that was read; the edit fails when it has changed */
                "if-match"?: string | null;
            };
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PasswordReset"] | null;
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OneTimePassword"];
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    users_put_roles: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag that was read; the edit fails when it has changed */
                "if-match"?: string | null;
            };
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UserRoles"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Account"];
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    ways_in_of_user: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WaysOfUser"];
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    ways_in_unlink_user: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                user_id: string;
                way: components["schemas"]["WayName"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    users_create_several: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UsersCreate"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UsersCreated"];
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    users_export: {
        parameters: {
            query?: {
                /** @description Only those that may sign in, or only those that may not */
                active?: boolean | null;
                /** @description Only those in this group */
                group?: string | null;
                /** @description Only those that were given this role */
                role?: string | null;
                /** @description Only those who can sign in and have no rights yet, or only the others */
                waiting?: boolean | null;
                /** @description In names, e-mail address, phone number */
                words?: string | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A table */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    users_import: {
        parameters: {
            query?: {
                /** @description Only tell what would be made, and what is wrong */
                dry_run?: boolean;
                /** @description Who is there already is no mistake, and left as is */
                skip_existing?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "text/csv": string;
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UsersImport"];
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    users_import_template: {
        parameters: {
            query?: {
                language?: "en" | "zh";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A table */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    virtual_clusters_list: {
        parameters: {
            query?: {
                /** @description `next_cursor` of the page before */
                cursor?: string | null;
                /** @description Items per page */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page_VirtualCluster_"];
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    virtual_clusters_create: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["VirtualClusterCreate"];
            };
        };
        responses: {
            /** @description Successful Response */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VirtualCluster"];
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    virtual_clusters_read: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                cluster_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VirtualCluster"];
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    virtual_clusters_delete: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag that was read; the edit fails when it has changed */
                "if-match"?: string | null;
            };
            path: {
                cluster_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VirtualCluster"];
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    virtual_clusters_edit: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag that was read; the edit fails when it has changed */
                "if-match"?: string | null;
            };
            path: {
                cluster_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["VirtualClusterEdit"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VirtualCluster"];
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    virtual_clusters_extend: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag that was read; the edit fails when it has changed */
                "if-match"?: string | null;
            };
            path: {
                cluster_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["VirtualClusterExtend"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VirtualCluster"];
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    virtual_clusters_list_members: {
        parameters: {
            query?: {
                /** @description `next_cursor` of the page before */
                cursor?: string | null;
                /** @description Only groups, or only users */
                kind?: ("group" | "user") | null;
                /** @description Items per page */
                limit?: number;
                /** @description In the name or the full name */
                words?: string | null;
            };
            header?: never;
            path: {
                cluster_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page_ClusterMember_"];
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    virtual_clusters_add_members: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                cluster_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MembersAdd"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MembersAdded"];
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    virtual_clusters_remove_members: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                cluster_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MembersRemove"];
            };
        };
        responses: {
            /** @description Successful Response */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MembersRemoved"];
                };
            };
            /** @description What is wrong, and what to do */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
}
