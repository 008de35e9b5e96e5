"""The settings of two public GETM set-ups: values alone, of their namelists."""

from __future__ import annotations

# Of markusReinert/79NG-Fjord-Model, a fjord with a glacier tongue; editscenario writes the names.
FJORD = {
    "param": {"runid": "fjord_79NG", "title": "79NG fjord", "parallel": True},
    "time": {"timestep": 2.0, "start": "2000-01-01 00:00:00", "stop": "2010-01-01 00:00:00"},
    "domain": {
        **{"vert_cord": 6, "bathymetry": "topography_500m.nc", "rigid_lid": False},
        **{"longitude": -20.0, "latitude": 79.5, "f_plane": False, "openbdy": True},
        **{"bdyinfofile": "bdyinfo.dat", "kdum": 100, "ddu": 0.0, "ddl": 0.0},
        **{"il": 1, "ih": 312, "jl": 1, "jh": 273, "z0_const": 0.0015, "z0s_const": 0.001},
        "check_cfl": True,
    },
    "parameters": {"g": 9.81, "rho_0": 1025.0, "cp": 3985.0, "kappa": 0.4, "avmmol": 1.8e-6},
    "meteo": {"fwf_method": 1},
    "ice": {
        **{"have_glacial_ice": True, "ice_file": "topography_500m.nc"},
        **{"rho_ice": 920.0, "z0_ice": 0.01},
    },
    "rivers": {
        **{"river_method": 2, "river_info": "grounding_line_500m.txt"},
        **{"river_data": "subglacial_runoff.nc", "use_river_salt": False},
        **{"use_river_temp": False, "river_outflow_properties_follow_source_cell": False},
    },
    "m2d": {
        **{"vel2d_adv_split": 2, "vel2d_adv_hor": 4, "Am_method": 2, "An_method": 2},
        **{"An_const": 50.0, "An_file": "topography_500m.nc", "bdy2d": True},
        **{"bdyfile_2d": "bdy_2d.nc", "bdy2d_sponge_size": 0},
    },
    "m3d": {
        **{"M": 15, "adv_ver_iterations": 1000, "bdy3d": True, "bdyfile_3d": "bdy_3d.nc"},
        **{"bdy3d_sponge_size": 3, "vel3d_adv_split": 2, "vel3d_adv_hor": 4, "vel3d_adv_ver": 4},
        **{"calc_temp": True, "calc_salt": True, "turb_adv_split": 2, "turb_adv_hor": 4},
        **{"turb_adv_ver": 4, "ip_method": 6},
    },
    "temp": {
        **{"temp_method": 3, "temp_file": "init_3d.nc", "temp_adv_split": 2, "temp_adv_hor": 4},
        **{"temp_adv_ver": 4, "avmolt": 1.4e-7},
    },
    "salt": {
        **{"salt_method": 3, "salt_file": "init_3d.nc", "salt_adv_split": 2, "salt_adv_hor": 4},
        **{"salt_adv_ver": 4, "avmols": 1.1e-9, "saltbins": 80, "saltbinmin": 27},
        "saltbinmax": 35,
    },
    "io_spec": {
        **{"out_dir": "store", "save_2d": False, "first_2d": 100000000, "step_2d": 100000000},
        **{"first_3d": 100000000, "step_3d": 100000000, "hotout": (43200, "", 43200)},
        **{"zbins": 90, "zbinmin": -890, "zbinmax": 10},
    },
}

# Of platipodium/sns_1960-2014, the southern North Sea.
NORTH_SEA = {
    "param": {
        **{"dryrun": False, "runid": "sns", "title": "Southern North Sea", "parallel": True},
        **{"runtype": 4, "hotstart": False, "use_epoch": False, "save_initial": True},
    },
    "time": {
        **{"timestep": 5.0, "timefmt": 2, "nlast": 999},
        **{"start": "2003-01-01 00:00:00", "stop": "2003-11-30 00:00:00"},
    },
    "domain": {
        **{"vert_cord": 3, "maxdepth": 50.0, "bathymetry": "topo.nc", "vel_depth_method": 0},
        **{"rigid_lid": False, "longitude": 7.291, "latitude": 54.339, "f_plane": True},
        **{"openbdy": True, "bdyinfofile": "bdyinfo.dat", "crit_depth": 1.0, "min_depth": 0.3},
        **{"kdum": 20, "ddu": 1.5, "ddl": 1.5, "d_gamma": 100.0, "gamma_surf": False},
        **{"il": 1, "ih": 139, "jl": 1, "jh": 99, "bottfric_method": 2, "rdrag": 0.0004},
        **{"z0_const": 0.001, "z0d_iters": 0, "cd_min": -1.0},
    },
    "parameters": {"g": 9.81, "rho_0": 1025.0, "cp": 3985.0, "kappa": 0.4, "avmmol": 1.8e-6},
    "meteo": {
        **{"metforcing": True, "on_grid": False, "calc_met": True, "met_method": 2},
        **{"fwf_method": 1, "meteo_ramp": 0, "metfmt": 2, "meteo_file": "meteofiles_gen.dat"},
        **{"tx": 0.1, "ty": 0.0, "albedo_method": 1, "albedo_const": 0.0, "swr_const": 200.0},
        **{"shf_const": 0.0, "evap_const": 0.0, "precip_const": 2.3e-8, "sst_const": -1.0},
        **{"sss_const": -1.0, "wind_factor": 1.0, "evap_factor": 1.0, "precip_factor": 1.0},
        "calc_relative_wind": False,
    },
    "waves": {
        **{"waveforcing_method": 3, "waves_method": 1, "waves_file": "wavesfile.dat"},
        **{"on_grid": True, "waves_windscalefactor": 1.0, "max_depth_windwaves": -1.0},
        **{"waves_ramp": 0, "waves_bbl_method": 1},
    },
    "rivers": {
        **{"river_method": 2, "river_info": "riverinfo.dat", "river_format": 2},
        **{"river_data": "rivers.nc", "river_ramp": 0, "river_factor": 1.0},
        **{"use_river_salt": False, "use_river_temp": False},
        "river_outflow_properties_follow_source_cell": True,
    },
    "m2d": {
        **{"elev_method": 1, "elev_const": 0.0, "elev_file": "elev.nc", "MM": 1},
        **{"vel2d_adv_split": 2, "vel2d_adv_hor": 1, "Am_method": 0, "Am_const": 1.8e-6},
        **{"An_method": 0, "An_const": 1.0, "An_file": "field_An.nc", "residual": -1},
        **{"sealevel_check": 24, "bdy2d": True, "bdyfmt_2d": 2, "bdy2d_ramp": -1},
        **{"bdyfile_2d": "bdy.2d.nc", "bdy2d_sponge_size": 0},
    },
    "m3d": {
        **{"M": 60, "cnpar": 1.0, "cord_relax": 0.0, "adv_ver_iterations": 4000, "bdy3d": True},
        **{"bdyfmt_3d": 2, "bdy3d_vel": False, "bdy3d_ramp": -1, "bdyfile_3d": "bdy.3d.nc"},
        **{"bdy3d_sponge_size": 3, "bdy3d_tmrlx": True, "bdy3d_tmrlx_min": 0.0},
        **{"bdy3d_tmrlx_max": 0.25, "bdy3d_tmrlx_ucut": 0.02, "vel3d_adv_split": 2},
        **{"vel3d_adv_hor": 4, "vel3d_adv_ver": 4, "calc_temp": True, "calc_salt": True},
        **{"use_gotm": True, "avmback": 0.0, "avhback": 0.0, "turb_adv_split": 2},
        **{"turb_adv_hor": 0, "turb_adv_ver": 0, "smooth_bvf_hor": True},
        **{"smooth_bvf_ver": False, "nonhyd_method": 0, "ip_method": 6, "ip_ramp": 0},
        **{"vel_check": 0, "min_vel": -4.0, "max_vel": 4.0},
    },
    "temp": {
        **{"temp_method": 3, "temp_const": 7.0, "temp_format": 2, "temp_name": "temp"},
        **{"temp_file": "sns_climatology.nc", "temp_field_no": 1, "temp_adv_split": 2},
        **{"temp_adv_hor": 4, "temp_adv_ver": 4, "avmolt": 1.4e-7, "temp_AH_method": 0},
        **{"temp_AH_const": 1.4e-7, "temp_AH_Prt": 2.0, "temp_AH_stirr_const": 1.0},
        **{"attenuation_method": 0, "jerlov": 3, "A_const": 0.58, "g1_const": 0.35},
        **{"g2_const": 23.0, "attenuation_file": "attenuation.nc", "swr_bot_refl_frac": 0.0},
        **{"swr_min_bot_frac": 0.01, "sst_nudging_time": -1.0, "temp_check": 0},
        **{"min_temp": -2.0, "max_temp": 35.0},
    },
    "salt": {
        **{"salt_method": 3, "salt_const": 34.0, "salt_format": 2, "salt_name": "salt"},
        **{"salt_file": "sns_climatology.nc", "salt_field_no": 1, "salt_adv_split": 2},
        **{"salt_adv_hor": 4, "salt_adv_ver": 4, "avmols": 1.1e-9, "salt_AH_method": 0},
        **{"salt_AH_const": 1.1e-9, "salt_AH_Prt": 2.0, "salt_AH_stirr_const": 1.0},
        **{"sss_nudging_time": -1.0, "salt_check": 0, "min_salt": 0.0, "max_salt": 40.0},
        "nonnegsalt_method": 1,
    },
    "eqstate": {"eqstate_method": 2, "T0": 10.0, "S0": 33.75, "p0": 0.0, "dtr0": -0.17},
    "nonhyd": {
        **{"calc_hs2d": False, "nonhyd_iters": 1, "bnh_filter": 0, "bnh_weight": 1.0},
        "sbnh_filter": False,
    },
    "les": {"les_method": 1, "smag_method": 1, "smag_const": 0.28, "smag_file": "topo.nc"},
    "io_spec": {
        **{"out_fmt": 2, "hotin_fmt": 2, "hotout_fmt": 2, "in_dir": ".", "out_dir": "."},
        **{"save_metrics": False, "save_masks": True, "save_waves": False, "save_z": False},
        **{"mask_depth": -1.0, "save_taub": True, "step_2d": 900, "meanout": -1},
    },
}

# GOTM's file, which both have alike but for the stability functions.
TURBULENCE = {
    "turbulence": {"turb_method": 3, "tke_method": 2, "len_scale_method": 8, "stab_method": 1},
    "bc": {"k_ubc": 1, "k_lbc": 1, "psi_ubc": 1, "psi_lbc": 1, "ubc_type": 1, "lbc_type": 1},
    "turb_param": {
        **{"cm0_fix": 0.5477, "Prandtl0_fix": 0.74, "cw": 100.0, "compute_kappa": True},
        **{"kappa": 0.4, "compute_c3": True, "ri_st": 0.25, "length_lim": False, "galp": 0.53},
        **{"const_num": 5e-4, "const_nuh": 5e-4, "k_min": 1e-10, "eps_min": 1e-14},
        **{"kb_min": 1e-10, "epsb_min": 1e-14},
    },
    "generic": {"compute_param": False, "gen_m": 1.5, "gen_d": -1.087, "gen_alpha": -4.97},
    "keps": {
        **{"ce1": 1.44, "ce2": 1.92, "ce3minus": 0.0, "ce3plus": 1.0, "sig_k": 1.0},
        **{"sig_e": 1.3, "sig_peps": False},
    },
    "my": {"e1": 1.8, "e2": 1.33, "e3": 1.8, "sq": 0.2, "sl": 0.2, "my_length": 1},
    "scnd": {"scnd_method": 2, "kb_method": 1, "epsb_method": 1, "cc1": 5.0, "ct1": 5.95},
    "iw": {"iw_model": 0, "alpha": 0.0, "klimiw": 1e-6, "rich_cr": 0.7, "numiw": 1e-4},
}
