// Made from openapi.json by `npm run client`; edits are lost.

export const RULES = {
  "TrainingCreate": {
    "code_directory": {
      "required": false,
      "pattern": "^[^\\x00-\\x1f]*$",
      "maxLength": 1024
    },
    "command_line": {
      "required": false,
      "pattern": "^[^\\x00]*$",
      "maxLength": 8192
    },
    "description": {
      "required": false,
      "maxLength": 2000
    },
    "device_type": {
      "required": false,
      "minLength": 1,
      "maxLength": 63
    },
    "devices": {
      "required": false,
      "minimum": 0,
      "maximum": 64
    },
    "distributed": {
      "required": false
    },
    "framework": {
      "required": false,
      "minLength": 1,
      "maxLength": 63
    },
    "image": {
      "required": false,
      "minLength": 1,
      "maxLength": 512
    },
    "limits": {
      "required": false
    },
    "name": {
      "required": true,
      "pattern": "^[A-Za-z0-9_]+$",
      "minLength": 1,
      "maxLength": 64
    },
    "nodes": {
      "required": false,
      "minimum": 1,
      "maximum": 512
    },
    "output_directory": {
      "required": false,
      "pattern": "^[^\\x00-\\x1f]*$",
      "maxLength": 1024
    },
    "parameters": {
      "required": false,
      "maxItems": 200
    },
    "privileged": {
      "required": false
    },
    "start_file": {
      "required": false,
      "pattern": "^[^\\x00-\\x1f]+\\.py$",
      "maxLength": 512
    },
    "virtual_cluster": {
      "required": true,
      "minLength": 1,
      "maxLength": 63
    }
  },
  "Parameter": {
    "name": {
      "required": true,
      "pattern": "^[A-Za-z_][A-Za-z0-9_.-]*$",
      "maxLength": 128
    },
    "value": {
      "required": false,
      "pattern": "^[^\\x00]*$",
      "maxLength": 4096
    }
  },
  "SignIn": {
    "name": {
      "required": true,
      "minLength": 1,
      "maxLength": 64
    },
    "password": {
      "required": true,
      "minLength": 1,
      "maxLength": 256
    }
  },
  "PasswordChange": {
    "current_password": {
      "required": true,
      "minLength": 1,
      "maxLength": 256
    },
    "end_access_tokens": {
      "required": false
    },
    "end_links": {
      "required": false
    },
    "new_password": {
      "required": true,
      "minLength": 10,
      "maxLength": 256
    }
  },
  "Registration": {
    "name": {
      "required": true,
      "pattern": "^[a-z][a-z0-9-]{0,30}[a-z0-9]$",
      "minLength": 2,
      "maxLength": 32
    },
    "nickname": {
      "required": true,
      "pattern": "^[^\\u0000-\\u001f\\u007f-\\u009f\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff]*$",
      "minLength": 1,
      "maxLength": 64
    },
    "password": {
      "required": true,
      "minLength": 10,
      "maxLength": 256
    }
  },
  "WayRegistration": {
    "name": {
      "required": true,
      "pattern": "^[a-z][a-z0-9-]{0,30}[a-z0-9]$",
      "minLength": 2,
      "maxLength": 32
    },
    "nickname": {
      "required": true,
      "pattern": "^[^\\u0000-\\u001f\\u007f-\\u009f\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff]*$",
      "minLength": 1,
      "maxLength": 64
    }
  },
  "UsersCreate": {
    "groups": {
      "required": false,
      "maxItems": 100
    },
    "roles": {
      "required": true,
      "maxItems": 100
    },
    "users": {
      "required": true,
      "maxItems": 10
    },
    "virtual_clusters": {
      "required": false,
      "maxItems": 100
    }
  },
  "NewUser": {
    "email": {
      "required": false,
      "maxLength": 254
    },
    "name": {
      "required": true,
      "pattern": "^[a-z][a-z0-9-]{0,30}[a-z0-9]$",
      "minLength": 2,
      "maxLength": 32
    },
    "nickname": {
      "required": true,
      "pattern": "^[^\\u0000-\\u001f\\u007f-\\u009f\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff]*$",
      "minLength": 1,
      "maxLength": 64
    },
    "password": {
      "required": true,
      "minLength": 10,
      "maxLength": 256
    },
    "phone": {
      "required": false,
      "maxLength": 32
    }
  },
  "UserUpdate": {
    "email": {
      "required": false,
      "maxLength": 254
    },
    "nickname": {
      "required": false,
      "pattern": "^[^\\u0000-\\u001f\\u007f-\\u009f\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff]*$",
      "minLength": 1,
      "maxLength": 64
    },
    "phone": {
      "required": false,
      "maxLength": 32
    }
  },
  "GroupCreate": {
    "description": {
      "required": true,
      "minLength": 1,
      "maxLength": 512
    },
    "name": {
      "required": true,
      "pattern": "^[^\\u0000-\\u001f\\u007f-\\u009f\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff]*$",
      "minLength": 1,
      "maxLength": 64
    },
    "roles": {
      "required": true,
      "maxItems": 100
    },
    "users": {
      "required": false,
      "maxItems": 100
    }
  },
  "RoleCreate": {
    "description": {
      "required": false,
      "maxLength": 512
    },
    "grants": {
      "required": true,
      "maxItems": 200
    },
    "name": {
      "required": true,
      "pattern": "^[^\\u0000-\\u001f\\u007f-\\u009f\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff]*$",
      "minLength": 1,
      "maxLength": 64
    }
  },
  "VirtualClusterCreate": {
    "borrows": {
      "required": false
    },
    "devices": {
      "required": true,
      "minimum": 0,
      "maximum": 100000
    },
    "egress": {
      "required": false,
      "maxItems": 32
    },
    "max_devices_per_user": {
      "required": false,
      "minimum": 0,
      "maximum": 100000
    },
    "max_hours": {
      "required": false,
      "minimum": 1,
      "maximum": 87600
    },
    "name": {
      "required": true,
      "pattern": "^[a-z0-9]+(-[a-z0-9]+)*$",
      "minLength": 1,
      "maxLength": 40
    },
    "pod_security": {
      "required": false
    }
  },
  "VirtualClusterExtend": {
    "hours": {
      "required": true,
      "minimum": 1,
      "maximum": 87600
    }
  },
  "OpenNetwork": {
    "network": {
      "required": true,
      "maxLength": 18
    },
    "ports": {
      "required": true,
      "maxItems": 16
    }
  },
  "SettingsChange": {
    "appearance": {
      "required": false
    },
    "language": {
      "required": false
    },
    "privileged_jobs": {
      "required": false
    },
    "refresh_seconds": {
      "required": false,
      "minimum": 5,
      "maximum": 3600
    },
    "time_zone": {
      "required": false,
      "maxLength": 64
    },
    "virtual_cluster": {
      "required": false,
      "maxLength": 64
    }
  },
  "AccessTokenCreate": {
    "days": {
      "required": true,
      "minimum": 1
    },
    "grants": {
      "required": true,
      "maxItems": 100
    },
    "name": {
      "required": true,
      "pattern": "^[^\\u0000-\\u001f\\u007f-\\u009f\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff]*$",
      "minLength": 1,
      "maxLength": 64
    },
    "read_only": {
      "required": false
    }
  }
} as const;
